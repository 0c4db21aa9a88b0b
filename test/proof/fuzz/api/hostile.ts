/** Texts that parsers, databases, logs or spreadsheets often handle wrongly. */
export const HOSTILE_TEXTS = [
  ...["", " ", "\u202etxt.exe", "\ufeff", "😀".repeat(60), "e\u0301".repeat(50), "İıſß"],
  ...["a".repeat(101), "a".repeat(201), "a".repeat(501), "a".repeat(10_001), "' OR 1=1 --", "$1"],
  ...["%", "_%\\", "\\", '{"a":1}', "=1+1", "../../etc/passwd", "__proto__", "constructor"],
  ...["null", "-1", "1e309", "0x10", "9007199254740993", "99999999999999999999", "infinity"],
  ...["NaN", "0000-00-00", "2026-02-30", "+275760-09-13T00:00:00.001Z", "-271821-04-20"],
  ...["2026-01-01T24:00:00Z", "00000000-0000-0000-0000-000000000000"],
  ...["ffffffff-ffff-ffff-ffff-ffffffffffff", "{00000000-0000-7000-8000-000000000003}"],
  ...["<script>alert(1)</script>", "a@b.c\r\nBcc: x@y.z", "\r\n\r\n", "a\tb\nc"],
  ...["\u0085\u2028\u2029"],
];
/** Texts that UTF-8 or PostgreSQL cannot store. */
export const UNSTORABLE_TEXTS = ["\0", "a\0b", "\ud800", "x\udfff"];
