# For the scripts beside it: `connected URL PROGRAM ARGUMENTS…` runs a program of PostgreSQL with `--dbname=URL`. The password of the URL goes
# into PGPASSWORD instead, because every account of the machine can read the arguments of programs.

# Decodes %xx with the shell alone: a program would have the password as an argument.
decoded() {
  rest=$1
  while [ "$rest" != "${rest#*%}" ]; do
    printf %s "${rest%%\%*}"
    rest=${rest#*%}
    printf "\\$(printf %03o "0x${rest%"${rest#??}"}")"
    rest=${rest#??}
  done
  printf %s "$rest"
}

# In a subshell, so that no variable remains.
connected() (
  url=$1 program=$2 password=${PGPASSWORD:-}
  shift 2
  case $url in
    *[?\&]*password=* | *://*[/?]*@*)
      echo "Put the password of the URL between the name and the @, with / as %2F and ? as %3F" >&2
      exit 2
      ;;
    *://*) ;;
    *) echo "A URL is required, such as postgres://owner:password@db/service" >&2; exit 2 ;;
  esac
  rest=${url#*://}
  authority=${rest%%[/?]*}
  case $authority in
    *:*@*)
      user=${authority%@*}
      password=$(decoded "${user#*:}")
      url="${url%%://*}://${user%%:*}@${authority##*@}${rest#"$authority"}"
      ;;
  esac
  PGPASSWORD=$password exec "$program" --dbname="$url" "$@"
)
