import CardSecrets
import Money
import Settings
import Testing
import TillConfiguration

@Suite("Several payment hosts in a till's configuration")
struct HostRoutingTests {
    private static let hosts = """
        host: { kind: iso8583, address: "127.0.0.1:1", profile: iso87-ascii, failover: backup }
        hosts:
          amex: { kind: iso8583, address: "127.0.0.1:2", profile: iso2003, failover: [backup, default] }
          backup: { kind: iso8583, address: "127.0.0.1:3", profile: iso87-ascii, terminalId: TERM0009, merchantId: M9 }

        """

    private func read(_ routes: String) throws -> TillConfiguration {
        try TillConfiguration(yaml: Self.hosts + routes, file: "till.yaml")
    }

    private func prefix(_ digits: String) throws -> CardPrefix {
        CardPrefix(try PrimaryAccountNumber(digits: digits.utf8))
    }

    @Test func `the first route that fits has the payment, and the rest goes to the default host`() throws {
        let routing = try read(
            """
            routes:
              - { bins: [34, "37"], host: amex }
              - { bins: 51-55, currencies: [EUR], host: backup }
              - { bins: 41234567, host: amex }
              - { currencies: JPY, host: amex }
            """
        ).routing
        let (usd, eur, jpy) = (Currency.usDollar, try Currency(code: "EUR"), try Currency(code: "JPY"))
        for (pan, currency, host) in [
            ("340000000000000", usd, "amex"), ("379999999999999", eur, "amex"), ("359999999999999", usd, "default"),
            ("5100000000000000", eur, "backup"), ("5599999999999999", eur, "backup"),
            ("5600000000000000", eur, "default"), ("5100000000000000", usd, "default"),
            ("5100000000000000", jpy, "amex"), ("4123456700000000", usd, "amex"),
            ("4123456800000000", usd, "default"), ("41234567", usd, "amex"),
        ] {
            let card = try prefix(pan)
            #expect(routing.hosts(for: card, currency: currency).first == host, "\(pan)")
        }
        #expect(routing.hosts(for: nil, currency: usd) == ["default", "backup"])
        #expect(routing.hosts(for: nil, currency: jpy) == ["amex", "backup", "default"])
    }

    @Test func `every key is read, and written again`() throws {
        let till = try read("routes: [{ bins: [\"0123\", 51-55], currencies: [EUR, USD], host: amex }]")
        #expect(till.acquirers.map(\.name) == ["default", "amex", "backup"])
        #expect(till.acquirers.map(\.settings.place) == ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"])
        #expect(till.acquirers.map(\.settings.terminal) == [nil, nil, "TERM0009"])
        #expect(till.acquirers.last?.settings.merchant == "M9")
        #expect(till.routing.failover == ["default": ["backup"], "amex": ["backup", "default"]])
        #expect(try TillConfiguration(yaml: till.yaml, file: "till.yaml") == till)
        #expect(TillConfiguration.standard.acquirers.isEmpty)
    }

    @Test func `first digits of a card number show nothing of themselves`() throws {
        let prefix = try prefix("4761739001010010")
        #expect("\(prefix)" == "CardPrefix(masked)")
        #expect(Mirror(reflecting: prefix).children.isEmpty)
    }

    @Test func `a narrower route may come before a wider one`() throws {
        let routes = try read(
            """
            routes:
              - { bins: 411111, host: amex }
              - { bins: [4], currencies: [EUR], host: backup }
              - { bins: 4, host: amex }
              - { bins: 50-59, currencies: USD, host: amex }
              - { bins: 51, currencies: JPY, host: backup }
            """
        ).routing.routes
        #expect(routes.map(\.host) == ["amex", "backup", "amex", "amex", "backup"])
    }

    @Test(arguments: [
        ("routes: []", "5: routes: "),
        ("routes: [{ bins: 4 }]", "5: routes[0]: the key 'host' is missing"),
        (
            "routes: [{ bins: 4, host: amx }]",
            "5: routes[0].host: no host is called 'amx'; write one of default, amex, backup, or add it under 'hosts'"
        ),
        ("routes: [{ host: amex }]", "5: routes[0]: the route takes every payment; "),
        ("routes: [{ bins: [], host: amex }]", "5: routes[0].bins: "),
        ("routes: [{ bins: 55-51, host: amex }]", "5: routes[0].bins: the range is empty: its end is before"),
        ("routes: [{ bins: 51-5, host: amex }]", "5: routes[0].bins: not first digits of card numbers; "),
        ("routes: [{ bins: 123456789, host: amex }]", "5: routes[0].bins: not first digits of card numbers; "),
        ("routes: [{ bins: 4x, host: amex }]", "5: routes[0].bins: not first digits of card numbers; "),
        (
            "routes: [{ bins: [4, 41-42], host: amex }]",
            "5: routes[0].bins[1]: overlaps with 4 of the same route; remove one of them"
        ),
        (
            "routes:\n  - { bins: 40-45, host: amex }\n  - { bins: [37, 44-49], host: backup }",
            "7: routes[1].bins[1]: routes[0] has 40-45 of these cards before; the first route that fits is taken"
        ),
        (
            "routes:\n  - { bins: 4, host: amex }\n  - { bins: 4111, host: backup }",
            "7: routes[1].bins: routes[0] has 4 of these cards before"
        ),
        (
            "routes:\n  - { currencies: EUR, host: amex }\n  - { bins: 4, currencies: EUR, host: backup }",
            "7: routes[1].bins: routes[0] has all cards before"
        ),
        ("routes: [{ currencies: [EUR, EUR], host: amex }]", "5: routes[0].currencies[1]: duplicate currency"),
    ])
    func `a mistake in the routes is told with its line and key`(yaml: String, text: String) {
        expect(text, of: Self.hosts + yaml)
    }

    @Test(arguments: [
        ("hosts: {}\nroutes: [{ bins: 4, host: default }]", "3: routes: there is one host only; "),
        ("hosts: { default: { kind: iso8583 } }", "2: hosts.default: 'default' is the name of the host in 'host'"),
        ("hosts: { Amex: { kind: iso8583 } }", "2: hosts.Amex: not a name; write 1 to 32 lower-case letters"),
        ("hosts: { a: simulated }", "2: hosts.a: the simulated host can't be one of several"),
        (
            "hosts: { a: { kind: iso8583, address: \"127.0.0.1:1\", profile: iso2003 } }",
            "2: hosts.a: the host 'default' has the same address; "
        ),
        (
            "hosts: { a: { kind: iso8583, address: \"LocalHost.:1\", profile: iso2003, tls: {} } }",
            "2: hosts.a: the host 'default' has the same address; "
        ),
        (
            "hosts: { a: { kind: iso8583, address: \"[::1]:1\", profile: iso2003 } }",
            "2: hosts.a: the host 'default' has the same address; "
        ),
        (
            "hosts: { a: { kind: iso8583, address: \"127.0.0.1:2\", profile: iso2003, incrementRenewsHold: true } }",
            "2: hosts.a.incrementRenewsHold: this is the same for all hosts; write it in 'host'"
        ),
        (
            "hosts: { a: { kind: iso8583, address: \"127.0.0.1:2\", profile: iso2003, preauthorizationDays: 3 } }",
            "2: hosts.a.preauthorizationDays: the days are the same for all hosts; write them in 'host'"
        ),
        (
            "hosts: { a: { kind: iso8583, address: \"127.0.0.1:2\", profile: iso2003, failover: a } }",
            "2: hosts.a.failover: the host can't take over from itself; name another host"
        ),
        (
            "hosts: { a: { kind: iso8583, address: \"127.0.0.1:2\", profile: iso2003, failover: [b] } }",
            "2: hosts.a.failover[0]: no host is called 'b'; write one of default, a, or add it under 'hosts'"
        ),
        (
            "hosts: { a: { kind: iso8583, address: \"127.0.0.1:2\", profile: iso2003, failover: [default, default] } }",
            "2: hosts.a.failover[1]: duplicate host; remove one of them"
        ),
        (
            "hosts: { a: { kind: iso8583, address: \"127.0.0.1:2\", profile: iso2003, terminalId: TERM00001 } }",
            "2: hosts.a.terminalId: "
        ),
    ])
    func `a mistake in the hosts is told with its line and key`(yaml: String, text: String) {
        expect(text, of: "host: { kind: iso8583, address: \"127.0.0.1:1\", profile: iso87-ascii }\n" + yaml)
    }

    @Test func `the simulated host stands alone`() {
        expect(
            "1: hosts: the simulated host can't be one of several; write host: { kind: iso8583",
            of: "hosts: { a: { kind: iso8583, address: \"127.0.0.1:2\", profile: iso2003 } }")
        expect("1: routes: there is one host only", of: "routes: [{ bins: 4, host: default }]")
        expect("1: host: unknown key 'failover'", of: "host: { kind: simulated, failover: a }")
    }

    private func expect(_ text: String, of yaml: String) {
        do throws(SettingsError) {
            _ = try TillConfiguration(yaml: yaml, file: "till.yaml")
            Issue.record("read")
        } catch {
            #expect("\(error)".hasPrefix("till.yaml:" + text), "\(error)")
        }
    }
}
