const names = `
gmail.com googlemail.com
outlook.com outlook.com.gr outlook.com.br outlook.com.au outlook.com.ar outlook.com.tr outlook.co.th outlook.cl outlook.cz outlook.de outlook.dk
outlook.es outlook.fr outlook.hu outlook.ie outlook.in outlook.it outlook.jp outlook.kr outlook.lv outlook.my outlook.ph outlook.pt outlook.sa
outlook.sg outlook.sk hotmail.com hotmail.gr hotmail.de hotmail.fr hotmail.it hotmail.es hotmail.nl hotmail.be hotmail.se hotmail.no hotmail.dk
hotmail.co.uk hotmail.com.br hotmail.com.ar hotmail.com.tr hotmail.com.au hotmail.ca hotmail.co.jp hotmail.ch hotmail.cl live.com live.de live.fr
live.it live.nl live.be live.se live.no live.dk live.co.uk live.ca live.com.au live.com.mx live.com.pt live.ie live.jp live.cn windowslive.com msn.com
passport.com
yahoo.com yahoo.gr yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.se yahoo.no yahoo.dk yahoo.ro yahoo.pl yahoo.ca yahoo.in yahoo.cn yahoo.ie yahoo.at
yahoo.co.uk yahoo.co.in yahoo.co.id yahoo.co.jp yahoo.co.kr yahoo.co.nz yahoo.co.th yahoo.co.za yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.cn
yahoo.com.hk yahoo.com.mx yahoo.com.my yahoo.com.ph yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.vn ymail.com rocketmail.com myyahoo.com
aol.com aol.de aol.fr aol.it aol.es aol.co.uk aim.com netscape.net verizon.net att.net sbcglobal.net bellsouth.net comcast.net xfinity.com cox.net
charter.net spectrum.net earthlink.net mindspring.com juno.com netzero.net frontier.com optonline.net roadrunner.com centurylink.net windstream.net
icloud.com me.com mac.com privaterelay.appleid.com
proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com tuta.io tuta.com keemail.me mailfence.com hushmail.com
hushmail.me startmail.com posteo.de posteo.net mailbox.org disroot.org riseup.net runbox.com countermail.com ctemplar.com skiff.com
fastmail.com fastmail.fm fastmail.net hey.com zoho.com zohomail.com zohomail.eu zohomail.in duck.com simplelogin.com addy.io anonaddy.com
relay.firefox.com mozmail.com
gmx.com gmx.net gmx.de gmx.at gmx.ch gmx.fr gmx.es gmx.it gmx.us gmx.co.uk web.de freenet.de t-online.de arcor.de online.de 1und1.de kabelmail.de
vodafone.de mail.de email.de o2online.de
mail.com email.com usa.com myself.com consultant.com europe.com post.com dr.com engineer.com cheerful.com iname.com mail.org writeme.com
mail.ru inbox.ru list.ru bk.ru internet.ru xmail.ru yandex.ru yandex.com yandex.by yandex.kz yandex.ua ya.ru rambler.ru lenta.ru autorambler.ru
ukr.net i.ua meta.ua bigmir.net tut.by abv.bg mail.bg dir.bg
qq.com foxmail.com vip.qq.com 163.com 126.com yeah.net vip.163.com sina.com sina.cn sohu.com tom.com 139.com 189.cn wo.cn aliyun.com 21cn.com
naver.com hanmail.net daum.net nate.com kakao.com
rediffmail.com sify.com indiatimes.com in.com
orange.fr wanadoo.fr laposte.net free.fr sfr.fr neuf.fr bbox.fr numericable.fr aliceadsl.fr club-internet.fr
libero.it virgilio.it alice.it tin.it tim.it tiscali.it iol.it inwind.it email.it poste.it fastwebnet.it aruba.it
telefonica.net terra.es ono.com movistar.es ya.com euskaltel.net sapo.pt mail.telepac.pt clix.pt netcabo.pt
btinternet.com btopenworld.com sky.com virginmedia.com ntlworld.com talktalk.net blueyonder.co.uk tiscali.co.uk plusnet.com o2.co.uk
eircom.net ziggo.nl kpnmail.nl planet.nl home.nl xs4all.nl hetnet.nl telenet.be skynet.be proximus.be scarlet.be bluewin.ch hispeed.ch sunrise.ch
aon.at chello.at a1.net liwest.at telia.com bredband.net comhem.se tele2.se online.no broadpark.no mail.dk jubii.dk ofir.dk stofanet.dk
luukku.com suomi24.fi kolumbus.fi elisanet.fi seznam.cz email.cz centrum.cz volny.cz post.cz atlas.cz azet.sk zoznam.sk centrum.sk pobox.sk
wp.pl o2.pl onet.pl onet.eu interia.pl interia.eu gazeta.pl tlen.pl op.pl poczta.fm vp.pl freemail.hu citromail.hu indamail.hu t-online.hu
otenet.gr forthnet.gr hol.gr in.gr windowslive.gr pathfinder.gr freemail.gr cytanet.com.cy
mynet.com superonline.com ttmail.com walla.co.il walla.com netvision.net.il bezeqint.net
uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com r7.com oi.com.br zipmail.com.br
prodigy.net.mx terra.com fibertel.com.ar arnet.com.ar ciudad.com.ar speedy.com.ar
rogers.com shaw.ca sympatico.ca bell.net telus.net videotron.ca cogeco.ca
bigpond.com bigpond.net.au optusnet.com.au iinet.net.au tpg.com.au internode.on.net xtra.co.nz slingshot.co.nz
docomo.ne.jp ezweb.ne.jp softbank.ne.jp i.softbank.jp nifty.com biglobe.ne.jp ocn.ne.jp so-net.ne.jp excite.co.jp
mailinator.com guerrillamail.com 10minutemail.com temp-mail.org yopmail.com
inbox.com inbox.lv inbox.lt mail.ee hot.ee lycos.com excite.com email.ua gawab.com maktoob.com
`;

/** Domains at which anybody may have an address, so that no organization can speak for them. */
export const PUBLIC_MAIL_DOMAINS: ReadonlySet<string> = new Set(names.trim().split(/\s+/));
