import { expect, test } from "bun:test";
import {
  isInNetworks,
  isPublicAddress,
  parseNetwork,
  touchesLinkLocal,
} from "../../../src/platform/http/public-address.ts";

const NOT_PUBLIC = [
  ...[
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.0.9",
    "169.254.169.254",
  ],
  ...[
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.1.1",
  ],
  ...["198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"],
  ...[
    "::",
    "::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
  ],
  ...["2001:2::1", "2001:10::1", "2001:20::1", "5f00::1", "64:ff9b:1::1", "::7f00:1", "::10.0.0.1"],
  // Mapped, NAT64, 6to4 and Teredo, with what they embed
  ...["::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1"],
  ...["64:ff9b::7f00:1", "64:ff9b::169.254.169.254", "64:ff9b::10.0.0.1"],
  ...["2002:7f00:1::1", "2002:a9fe:a9fe::", "2002:0a00:0001::1"],
  ...["2001:0:7f00:1::1", "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:0:4136:e378:8000:63bf:f5ff:fffe"],
  // ISATAP, and the host services of Azure
  ...[
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:808:808",
    "168.63.129.16",
    "::ffff:168.63.129.16",
    "64:ff9b::a83f:8110",
  ],
  ...["", "x", "fe80::1%eth0", "1.2.3", "256.1.1.1"],
];
const PUBLIC = [
  ...[
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.169.0.1",
  ],
  ...[
    "2606:4700:4700::1111",
    "2a00:1450:4001:831::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
  ],
  "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
];

test("addresses that are not global unicast are not public, in no notation", () => {
  expect(NOT_PUBLIC.filter(isPublicAddress)).toEqual([]);
});

test("global unicast addresses are public", () => {
  expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test("ranges that contain link-local addresses, or lie within them, are recognized", () => {
  const touches = (text: string) => {
    const network = parseNetwork(text);
    return network !== null && touchesLinkLocal(network);
  };
  const bad = [
    "169.254.0.0/16",
    "169.254.169.254/32",
    "160.0.0.0/4",
    "fe80::/10",
    "fe80::1/128",
    "::ffff:169.254.1.0/120",
  ];
  expect(bad.filter((text) => !touches(text))).toEqual([]);
  expect(["10.0.0.0/8", "127.0.0.0/8", "fd00::/8", "::ffff:10.0.0.0/104"].filter(touches)).toEqual([]);
});

test("a mapped address is in the IPv4 range", () => {
  const networks = [parseNetwork("10.0.0.0/8")].filter((one) => one !== null);
  expect([isInNetworks("::ffff:10.1.2.3", networks), isInNetworks("11.0.0.1", networks)]).toEqual([
    true,
    false,
  ]);
});
