import Settings
import Testing
import TillConfiguration

@Suite("The payment host in a till's configuration")
struct HostSettingsTests {
    private func read(_ yaml: String) throws -> TillConfiguration {
        try TillConfiguration(yaml: yaml, file: "shop/till.yaml")
    }

    private func acquirer(_ yaml: String) throws -> AcquirerSettings {
        let host = try read(yaml).host
        guard case .iso8583(let acquirer) = host else { throw NoAcquirer(host: host) }
        return acquirer
    }

    private struct NoAcquirer: Error {
        let host: PaymentHostChoice
    }

    @Test func `the simulated host is a word or a mapping`() throws {
        #expect(try read("host: simulated").host == .simulated)
        #expect(try read("host: { kind: simulated }").host == .simulated)
        #expect(TillConfiguration.standard.host == .simulated)
        #expect(TillConfiguration.standard.host.kind == "simulated")
    }

    @Test func `three keys are enough on this machine`() throws {
        let till = try read("host:\n  kind: iso8583\n  address: 127.0.0.1:8583\n  profile: iso87-ascii\n")
        #expect(till.host.kind == "iso8583")
        guard case .iso8583(let acquirer) = till.host else { return }
        #expect("\(acquirer.address)" == "127.0.0.1:8583")
        #expect(acquirer.profile == "iso87-ascii")
        #expect(acquirer.tls == nil)
        #expect((acquirer.connectTimeout, acquirer.answerTimeout) == (nil, nil))
        #expect(try read(till.yaml) == till)
    }

    @Test func `every key is read, and written again`() throws {
        let yaml = """
            merchant: { city: Berlin }
            host:
              kind: iso8583
              address: "[2001:db8::7]:8583"
              profile: hosts/mine.yaml
              tls: { ca: ca.pem, certificate: /etc/till.pem, key: till.key, serverName: acquirer.example }
              keys: host-keys.yaml
              timeouts: { connect: 5, answer: 30 }
            """
        let found = try acquirer(yaml)
        #expect(found.profile == "shop/hosts/mine.yaml")
        #expect(found.tls?.authorities == "shop/ca.pem")
        #expect(found.tls?.certificate == "/etc/till.pem")
        #expect(found.tls?.key == "shop/till.key")
        #expect(found.keys == "shop/host-keys.yaml")
        #expect(found.tls?.serverName == "acquirer.example")
        #expect((found.connectTimeout, found.answerTimeout) == (.seconds(5), .seconds(30)))
        let till = try read(yaml)
        #expect(till.merchantCity == "Berlin")
        #expect(try TillConfiguration(yaml: till.yaml, file: "till.yaml") == till)
        let system = try read("host: { kind: iso8583, address: \"acquirer.example:1\", profile: iso2003, tls: {} }")
        #expect(try read(system.yaml) == system)
    }

    @Test(arguments: [
        (
            "host: iso8583",
            "1: host: an ISO 8583 host needs an address and a profile; "
                + "write host: { kind: iso8583, address: HOST:PORT, profile: NAME }"
        ),
        ("host: {}", "1: host: the key 'kind' is missing"),
        ("host: { kind: acquirer }", "1: host.kind: unknown value 'acquirer'; use one of simulated, iso8583"),
        ("host: { kind: simulated, address: x }", "1: host: unknown key 'address'"),
        ("host: { kind: iso8583, key: x }", "1: host: unknown key 'key'"),
        ("host:\n  kind: iso8583\n  profile: iso2003", "2: host: the key 'address' is missing"),
        (
            "host:\n  kind: iso8583\n  address: 8583\n  profile: iso2003",
            "3: host.address: not an address; write HOST:PORT with a port of 1 to 65535, such as acquirer.example:8583"
        ),
        (
            "host:\n  kind: iso8583\n  address: a.example:1\n  profile: iso2003",
            "3: host.address: the host is not this machine, so card data must not cross the network without TLS; "
                + "add tls: {} to trust the system's authorities, or tls: { ca: FILE }"
        ),
        (
            "host:\n  kind: iso8583\n  address: localhost:1\n  profile: iso88",
            "4: host.profile: no message profile is called 'iso88'; "
                + "write a file, or one of iso87-ascii, iso87-bcd-tpdu, iso93-ebcdic, iso2003"
        ),
        (
            "host:\n  kind: iso8583\n  address: localhost:1\n  profile: iso2003\n  tls: { key: x }",
            "5: host.tls: certificate and key go together; write both, or none"
        ),
        (
            "host:\n  kind: iso8583\n  address: localhost:1\n  profile: iso2003\n  timeouts: { answer: 0 }",
            "5: host.timeouts.answer: '0' is not in 1...600"
        ),
        (
            "host:\n  kind: iso8583\n  address: localhost:1\n  profile: iso2003\n  timeouts: { answer: 3s }",
            "5: host.timeouts.answer: '3s' is not a number; give seconds, such as 3"
        ),
    ])
    func `a mistake is told with its line and key`(yaml: String, text: String) {
        do throws(SettingsError) {
            _ = try TillConfiguration(yaml: yaml, file: "till.yaml")
            Issue.record("read")
        } catch {
            #expect("\(error)".hasPrefix("till.yaml:" + text), "\(error)")
        }
    }
}
