import Determinism
import Files
import Foundation
import Testing

@testable import Connections

/// Certificates that this program makes, judged by `openssl`.
@Suite("A certificate authority")
struct CertificateAuthorityTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    private func openssl(_ arguments: String...) async throws -> String {
        try await ForeignProgram("openssl", arguments).rest()
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test(arguments: CertificateRequest.Key.allCases)
    func `openssl verifies a chain strictly, for its uses and names alone`(_ key: CertificateRequest.Key) async throws {
        let files = try certificates.issue(
            "shop", names: ["pay.example", "*.shop.example", "192.0.2.7", "2001:db8::7"], key: key)
        let trust = ["-x509_strict", "-CAfile", certificates.authorityFile]
        func verify(_ options: String...) async throws -> String {
            try await ForeignProgram("openssl", ["verify"] + trust + options + [files.certificate]).rest()
        }
        for name in ["pay.example", "a.shop.example"] {
            #expect(try await verify("-purpose", "sslserver", "-verify_hostname", name).hasSuffix("shop.pem: OK\n"))
        }
        for address in ["192.0.2.7", "2001:db8::7"] {
            #expect(try await verify("-purpose", "sslserver", "-verify_ip", address).hasSuffix(": OK\n"))
        }
        #expect(try await verify("-verify_hostname", "other.example").contains("hostname mismatch"))
        #expect(try await verify("-purpose", "sslclient").contains("unsuitable certificate purpose"))
        let text = try await openssl("x509", "-noout", "-text", "-in", files.certificate)
        #expect(text.contains("CA:FALSE"))
        #expect(text.contains("TLS Web Server Authentication"))
        #expect(text.contains(key == .p256 ? "ASN1 OID: prime256v1" : "Public-Key: (2048 bit)"))
        let authority = try await openssl("x509", "-noout", "-text", "-in", certificates.authorityFile)
        #expect(authority.contains("CA:TRUE"))
        #expect(authority.contains("Certificate Sign, CRL Sign"))
    }

    @Test func `a common name of a vendor's kind is kept as it is`() async throws {
        let name = "P400Plus-123456789.test.terminal.adyen.com"
        let files = try certificates.issue(name, names: [])
        let subject = try await openssl("x509", "-noout", "-subject", "-nameopt", "RFC2253", "-in", files.certificate)
        #expect(subject == "subject=CN=\(name)\n")
    }

    @Test func `a key is its owner's alone, and belongs to the certificate`() async throws {
        #expect(try mode(certificates.server.key) == 0o600)
        #expect(try mode(certificates.server.certificate) & 0o700 == 0o600)
        let keys = [
            try await openssl("x509", "-noout", "-pubkey", "-in", certificates.server.certificate),
            try await openssl("pkey", "-pubout", "-in", certificates.server.key),
        ]
        #expect(keys[0] == keys[1])
        #expect(keys[0].hasPrefix("-----BEGIN PUBLIC KEY-----"))
    }

    @Test func `an authority goes on from its files`() throws {
        let again = try CertificateAuthority(
            files: certificates.folder.identity("ca"), random: SystemRandomSource())
        #expect(try again.pem() == certificates.authority.pem())
        let issued = try again.issue(TestCertificates.request("more", names: ["more.example"]))
        #expect(issued.summary.issuer == "Test CA")
        #expect(issued.summary.names == ["more.example"])
        #expect(throws: CertificateError.notAnAuthority(path: certificates.server.certificate)) {
            try CertificateAuthority(files: certificates.server, random: SystemRandomSource())
        }
        let mixed = TLSIdentityFiles(
            certificate: certificates.authorityFile, key: certificates.server.key)
        #expect(throws: CertificateError.notAnAuthority(path: certificates.authorityFile)) {
            try CertificateAuthority(files: mixed, random: SystemRandomSource())
        }
    }

    @Test func `unusable requests are refused`() throws {
        for name in ["", String(repeating: "a", count: 65), "a\nb", "a\u{0}b"] {
            #expect(throws: CertificateError.unusableSubject(name)) {
                try certificates.authority.issue(TestCertificates.request(name))
            }
        }
        for name in [
            "", "a b", "a,DNS:evil.example", "-a.example", "*", "*.example.", "a..b", "1.2.3.4/8", "ä.example",
        ] {
            #expect(throws: CertificateError.unusableName(name)) {
                try certificates.authority.issue(TestCertificates.request("a", names: [name]))
            }
        }
        #expect(throws: CertificateError.self) {
            try certificates.authority.issue(
                CertificateRequest(
                    commonName: "a", notBefore: TestCertificates.now,
                    notAfter: TestCertificates.now.advanced(by: .seconds(-1))))
        }
        let odd = try certificates.authority.issue(TestCertificates.request("Größe, O=x/CN=y", names: ["a"]))
        #expect(odd.summary.subject == "Größe, O=x/CN=y")
    }

    @Test func `files that do not fit are named`() throws {
        let folder = certificates.folder
        let missing = TLSIdentityFiles(certificate: folder.file("none.pem"), key: certificates.server.key)
        #expect(throws: TLSSetupError.missing(path: missing.certificate)) { try certificates.tlsServer(missing) }
        let mismatch = TLSIdentityFiles(certificate: certificates.server.certificate, key: certificates.client.key)
        #expect(
            throws: TLSSetupError.keyMismatch(certificate: mismatch.certificate, key: mismatch.key)
        ) { try certificates.tlsServer(mismatch) }
        let swapped = TLSIdentityFiles(
            certificate: certificates.server.key, key: certificates.server.key)
        #expect(
            throws: TLSSetupError.malformed(path: swapped.certificate, reason: "it has no certificate in PEM")
        ) { try certificates.tlsServer(swapped) }
        let open = folder.file("open.key")
        try FileManager.default.copyItem(atPath: certificates.server.key, toPath: open)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        #expect(throws: TLSSetupError.unreadable(.openToOthers(path: open))) {
            try certificates.tlsServer(TLSIdentityFiles(certificate: certificates.server.certificate, key: open))
        }
        let empty = folder.file("empty.pem")
        try Data().write(to: URL(filePath: empty))
        #expect(throws: TLSSetupError.malformed(path: empty, reason: "it is empty")) {
            try certificates.tlsClient(authorities: .pinned(file: empty))
        }
        let cut = folder.file("cut.pem")
        let pem = String(decoding: try certificates.authority.pem(), as: UTF8.self)
        try Data((pem + pem.dropLast(60)).utf8).write(to: URL(filePath: cut))
        #expect(throws: TLSSetupError.self) { try certificates.tlsClient(authorities: .pinned(file: cut)) }
    }

    @Test func `a key with a password is told, without asking for it`() async throws {
        let locked = certificates.folder.file("locked.key")
        _ = try await openssl(
            "pkey", "-in", certificates.server.key, "-aes256", "-passout", "pass:secret", "-out", locked)
        #expect(try mode(locked) == 0o600)
        #expect(
            throws: TLSSetupError.malformed(
                path: locked, reason: "the key has a password: remove it ('openssl pkey')")
        ) {
            try certificates.tlsServer(TLSIdentityFiles(certificate: certificates.server.certificate, key: locked))
        }
    }
}
