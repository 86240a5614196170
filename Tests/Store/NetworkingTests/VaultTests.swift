import Files
import Foundation
import Glibc
import Testing

@testable import Networking

@Suite struct VaultTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("till.credentials") }

    init() throws { folder = try TemporaryFolder() }

    static func signIns() throws -> [SignIn] {
        [
            SignIn(
                credentials: .wordPressDotcom(username: "anna", token: Secret("t0k3n"), site: nil),
                dotcom: try WebAddress("http://127.0.0.1:8282/"), siteID: 7),
            SignIn(
                credentials: .wordPressDotcom(
                    username: "anna", token: Secret("t0k3n"), site: try WebAddress("https://shop.example/")),
                siteID: nil),
            SignIn(
                credentials: .site(
                    username: "änna \"x\"", password: Secret("pä\\ss\u{1F511}"),
                    site: try WebAddress("https://shop.example/shop/"))),
            SignIn(
                credentials: .applicationPassword(
                    ApplicationPassword(username: "anna", password: Secret("abcdefgh"), uuid: "u-1"),
                    site: try WebAddress("http://127.0.0.1:8181/")), siteID: 1 << 52 | 12345),
        ]
    }

    @Test func `every kind of credentials survives a round trip`() throws {
        let vault = FileVault(path: path)
        #expect(try vault.load() == nil)
        for signIn in try Self.signIns() {
            try vault.save(signIn)
            #expect(try vault.load() == signIn)
        }
        try vault.clear()
        #expect(try vault.load() == nil)
        try vault.clear()
    }

    @Test func `the file is readable only by its owner, and files of others are rejected`() throws {
        let vault = FileVault(path: path)
        try vault.save(try Self.signIns()[0])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        chmod(path, 0o644)
        #expect(throws: VaultError.file(.openToOthers(path: path))) { try vault.load() }
        #expect(throws: VaultError.file(.openToOthers(path: path))) { try vault.save(try Self.signIns()[1]) }
        chmod(path, 0o600)
        let link = folder.path("link")
        #expect(symlink(path, link) == 0)
        #expect(throws: VaultError.file(.notARegularFile(path: link))) { try FileVault(path: link).load() }
    }

    @Test(arguments: [
        ("", "they are not JSON"), ("{", "they are not JSON"), ("[]", "they have no version"),
        (#"{"version":1}"#, "'kind' is missing"), (#"{"version":1,"kind":"cookie"}"#, "their kind is unknown"),
        (#"{"version":1,"kind":"site","username":"a"}"#, "'secret' is missing"),
        (#"{"version":1,"kind":"site","username":"a","secret":7,"site":"https://a.b/"}"#, "'secret' is missing"),
        (
            #"{"version":1,"kind":"site","username":"a","secret":"s3cr3t","site":"here","dotcom":"https://a.b/"}"#,
            "'site' is not an address"
        ),
        (
            #"{"version":1,"kind":"wordPressDotcom","username":"a","secret":"s3cr3t","dotcom":"https://a.b/","siteID":"x"}"#,
            "'siteID' is not a number"
        ),
    ])
    func `an invalid sign-in file is an error without secrets`(text: String, reason: String) throws {
        try FileStorage().replace(path, with: Array(text.utf8))
        let error = #expect(throws: VaultError.self) { try FileVault(path: path).load() }
        #expect(error == .malformed(place: "'\(path)'", reason: reason))
        #expect("\(try #require(error))".contains("s3cr3t") == false)
        #expect(try FileStorage().contents(of: path) == Array(text.utf8))
    }

    @Test func `the sign-in of a newer version is not overwritten`() throws {
        try FileStorage().replace(path, with: Array(#"{"version":2,"kind":"passkey"}"#.utf8))
        #expect(throws: VaultError.newerVersion(place: "'\(path)'", found: 2)) { try FileVault(path: path).load() }
    }

    @Test func `a truncated file is an error and not a crash`() throws {
        let whole = SignInRecord.bytes(try Self.signIns()[2])
        for length in 0..<whole.count - 1 {
            #expect(throws: VaultError.self) {
                try SignInRecord.signIn(Array(whole.prefix(length)), from: "here")
            }
        }
    }

    @Test func `nothing prints a secret`() throws {
        for signIn in try Self.signIns() {
            var dumped = ""
            dump(signIn, to: &dumped)
            for text in ["\(signIn)", String(reflecting: signIn), dumped] {
                #expect(!text.contains("t0k3n") && !text.contains("abcdefgh") && !text.contains("\u{1F511}"), "\(text)")
            }
        }
    }

    @Test(.enabled(if: KeyringVaultSupport.isThere, "this kernel keeps no keys for this user"))
    func `the kernel's keyring stores every kind of credentials`() throws {
        let vault = KeyringVault(name: folder.path("till"))
        #expect(try vault.load() == nil)
        defer { try? vault.clear() }
        for signIn in try Self.signIns() {
            try vault.save(signIn)
            #expect(try vault.load() == signIn)
        }
        #expect(try KeyringVault(name: folder.path("other")).load() == nil)
        try vault.clear()
        #expect(try vault.load() == nil)
        try vault.clear()
    }
}

/// Whether the kernel's keyring is available; containers often forbid it.
private enum KeyringVaultSupport {
    static let isThere: Bool = {
        let vault = KeyringVault(name: "support \(getpid())")
        defer { try? vault.clear() }
        return (try? vault.save(VaultTests.signIns()[0])) != nil && (try? vault.load()) != nil
    }()
}

/// A temporary folder for one test.
final class TemporaryFolder: Sendable {
    private let root: String

    init() throws {
        root = NSTemporaryDirectory() + "/cardpresent-vault-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }
}
