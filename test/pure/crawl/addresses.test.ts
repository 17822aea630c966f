import { describe, expect, test } from "vitest";
import { isAddressAllowed, isPublicIp } from "../../../src/audit/crawl/addresses.ts";

const verdict = (url: string, allowed: string[] = []): string => {
  const answer = isAddressAllowed(new URL(url), allowed);
  return answer.ok ? "ok" : answer.reason;
};

describe("what only exists inside a network is refused", () => {
  test.each([
    ["http://127.0.0.1/", "private_address"],
    ["http://127.1/", "private_address"],
    ["http://2130706433/", "private_address"],
    ["http://0x7f.0.0.1/", "private_address"],
    ["http://0177.0.0.01/", "private_address"],
    ["http://１２７.０.０.１/", "private_address"],
    ["http://127.0.0.1./", "private_address"],
    ["http://10.1.2.3/", "private_address"],
    ["http://172.31.255.255/", "private_address"],
    ["http://192.168.0.1:8080/", "private_address"],
    ["http://100.64.0.1/", "private_address"],
    ["http://169.254.1.1/", "private_address"],
    ["http://169.254.169.254/latest/meta-data", "metadata_address"],
    ["http://168.63.129.16/", "metadata_address"],
    ["http://[fd00:ec2::254]/", "metadata_address"],
    ["http://0.0.0.0/", "special_address"],
    ["http://0/", "special_address"],
    ["http://224.0.0.1/", "special_address"],
    ["http://240.0.0.1/", "special_address"],
    ["http://255.255.255.255/", "special_address"],
    ["http://198.18.0.1/", "special_address"],
    ["http://[::1]/", "private_address"],
    ["http://[::]/", "special_address"],
    ["http://[fc00::1]/", "private_address"],
    ["http://[fe80::1]/", "private_address"],
    ["http://[fec0::1]/", "private_address"],
    ["http://[ff02::1]/", "special_address"],
    ["http://[::ffff:127.0.0.1]/", "special_address"],
    ["http://[::ffff:8.8.8.8]/", "special_address"],
    ["http://[::127.0.0.1]/", "special_address"],
    ["http://[64:ff9b::7f00:1]/", "special_address"],
    ["http://[64:ff9b:1::7f00:1]/", "special_address"],
    ["http://[2002:7f00:1::]/", "special_address"],
    ["http://[2001:0:7f00:1::]/", "special_address"],
    ["http://[2001:db8::1]/", "special_address"],
    ["http://[4000::1]/", "special_address"],
    ["http://localhost/", "local_name"],
    ["http://LOCALHOST./", "local_name"],
    ["http://a.localhost/", "local_name"],
    ["http://printer.local/", "local_name"],
    ["http://printer.local../", "local_name"],
    ["http://metadata.google.internal/", "local_name"],
    ["http://nas.home.arpa/", "local_name"],
    ["http://ｌｏｃａｌｈｏｓｔ/", "local_name"],
    ["http://intranet-host/", "single_label"],
    ["http://com./", "single_label"],
  ])("%s is %s", (url, reason) => {
    expect(verdict(url)).toBe(reason);
  });
});

test.each([
  "https://example.com/",
  "https://example.com./",
  "https://localhost.example.com/",
  "https://mylocal/".replace("mylocal", "my-local.net"),
  "http://8.8.8.8/",
  "http://172.32.0.1/",
  "http://100.128.0.1/",
  "http://[2606:4700::1111]/",
  "https://bücher.example.org:8443/",
])("%s is public", (url) => {
  expect(verdict(url)).toBe("ok");
});

describe("an allowed host lets exactly itself through", () => {
  test.each([
    ["http://localhost:3000/a", ["localhost:3000"], "ok"],
    ["http://localhost:3001/", ["localhost:3000"], "local_name"],
    ["http://localhost/", ["localhost:3000"], "local_name"],
    ["http://localhost/", ["localhost"], "ok"],
    ["https://localhost/", ["localhost"], "ok"],
    ["http://localhost:8080/", ["localhost"], "local_name"],
    ["http://localhost/", ["localhost:80"], "ok"],
    ["https://localhost/", ["localhost:443"], "ok"],
    ["https://localhost/", ["localhost:80"], "local_name"],
    ["http://sub.localhost:3000/", ["localhost:3000"], "local_name"],
    ["http://127.0.0.1:9/", ["LOCALHOST:9", "127.0.0.1:9"], "ok"],
    ["http://[::1]:9/", ["[::1]:9"], "ok"],
    ["http://[::1]/", ["::1"], "ok"],
    ["http://127.0.0.2/", ["127.0.0.1", "", "http://127.0.0.2", "*"], "private_address"],
    ["http://nas/", ["nas"], "ok"],
  ])("%s with %j is %s", (url, allowed, expected) => {
    expect(verdict(url, allowed)).toBe(expected);
  });
});

test("a refusal says which address and why in words", () => {
  const answer = isAddressAllowed(new URL("http://100.64.0.1/"), []);
  expect(answer.ok ? "" : answer.message).toMatch(/100\.64\.0\.1 .*carrier-grade NAT.*--allow-host/);
});

test("a DNS answer is public only when it is a public IP address", () => {
  expect(["1.1.1.1", "2606:4700::1111"].every(isPublicIp)).toBe(true);
  const bad = [
    "10.0.0.1",
    "127.0.0.1",
    "::1",
    "::ffff:1.1.1.1",
    "fe80::1%eth0",
    "1",
    "0x7f000001",
    "example.com",
    "",
    "168.63.129.16",
  ];
  expect(bad.filter(isPublicIp)).toEqual([]);
});
