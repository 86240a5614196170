import Foundation
import Testing

@Suite("Signing in")
struct LoginTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ words: [String], input: String = "") throws -> ProgramResult {
        try Program.run(words + ["--database", scratch.database], in: scratch, input: input)
    }

    private func login(_ site: TestSite, _ words: [String] = [], password: String = "s3cret") throws -> ProgramResult {
        try run(["login", site.address, "--username", "anna", "--password-file", "-"] + words, input: password + "\n")
    }

    @Test func `signing in stores an application password, and signing out revokes it`() throws {
        let site = try TestSite()
        defer { site.stop() }
        let result = try login(site, ["--json"])
        #expect(result.status == 0, "\(result.error)")
        let sites = try #require(try result.object()["sites"] as? [[String: Any]])
        #expect(sites.map { $0["name"] as? String } == ["Corner Shop"])
        #expect(sites.first?["wooCommerceVersion"] as? String == "9.3.3")
        #expect(sites.first?["selected"] as? Bool == true)

        let listed = try run(["sites", "--json"]).list()
        #expect(listed.first?["id"] as? Int == sites.first?["id"] as? Int)
        let table = try run(["sites"]).output.split(separator: "\n")
        #expect(table.first?.split(separator: " ") == ["ID", "NAME", "ADDRESS", "WOOCOMMERCE"])
        #expect(table.count == 2 && table.last?.hasPrefix("* ") == true)
        #expect(try run(["sites", "use", "127.0.0.1"]).status == 0)

        // The user's own password is nowhere; the program's own is in one file, which is its owner's alone.
        let everything = try scratch.everything()
        #expect(everything.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("s3cret") })
        let holding = everything.filter { String(decoding: $0.bytes, as: UTF8.self).contains("m4de") }
        #expect(holding.map(\.name) == ["till.sqlite.credentials"])
        let path = scratch.file("till.sqlite.credentials")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let out = try run(["logout", "--json"]).object()
        #expect(out["passwordRevoked"] as? Bool == true)
        #expect(site.requests.contains { $0.hasPrefix("DELETE") && $0.contains("application-passwords/u-1") })
        #expect(!FileManager.default.fileExists(atPath: path))
        let refused = try run(["sites", "--json"])
        #expect(refused.status == 78)
        #expect((try refused.object()["error"] as? [String: Any])?["code"] as? String == "not_signed_in")
        #expect(try run(["logout"]).output == "not signed in\n")
    }

    @Test func `a till revokes only its own password, also when two tills have one user and host name`() throws {
        let store = try SimulatedStore(in: scratch)
        let other = scratch.file("other.sqlite")
        func till(_ arguments: String..., database: String) throws -> ProgramResult {
            try Program.run(arguments + ["--database", database], in: scratch)
        }
        func login(_ database: String, _ address: String) throws -> ProgramResult {
            try till(
                "login", address, "--username", "shopkeeper", "--password-file", scratch.file("store-password"),
                database: database)
        }
        // The address of the administration is the address that people copy.
        let signedIn = try login(other, store.address + "/wp-admin/")
        #expect(signedIn.status == 0, "\(signedIn.error)")
        #expect(try store.run("taxes", "classes").status == 0)
        #expect(try till("taxes", "classes", database: other).status == 0)
        // Signing in again replaces the till's own password.
        #expect(try login(other, store.address + "/wp-login.php?x=1").status == 0)
        #expect(try store.run("taxes", "classes").status == 0)
        #expect(try till("taxes", "classes", database: other).status == 0)
        let out = try till("logout", "--json", database: other).object()
        #expect(out["passwordRevoked"] as? Bool == true)
        #expect(try store.run("taxes", "classes").status == 0)
    }

    @Test func `a second sign-in revokes the password of the first one by its identity`() throws {
        let site = try TestSite()
        defer { site.stop() }
        #expect(try login(site).status == 0)
        #expect(!site.requests.contains { $0.hasPrefix("DELETE") })
        #expect(try login(site).status == 0)
        let deletions = site.requests.filter { $0.hasPrefix("DELETE") }
        #expect(deletions.count == 1 && deletions.first?.contains("application-passwords/u-1") == true)
        // Nothing is looked up by name.
        #expect(!site.requests.contains { $0.hasPrefix("GET") && $0.contains("application-passwords") })
    }

    @Test func `the version of WooCommerce is known after signing in, also without WordPress dot com`() throws {
        let site = try TestSite()
        defer { site.stop() }
        #expect(try login(site).status == 0)
        #expect(try run(["sites", "list", "--json"]).list().first?["wooCommerceVersion"] as? String == "9.3.3")
    }

    @Test func `a revoked password is reported by commands of payments too`() throws {
        let site = try TestSite()
        #expect(try login(site).status == 0)
        site.stop()
        let refusing = try TestSite { _ in
            TestSite.Answer(
                status: 401, body: #"{"code":"incorrect_password","message":"No.","data":{"status":401}}"#)
        }
        defer { refusing.stop() }
        let path = scratch.file("till.sqlite.credentials")
        let text = try scratch.text("till.sqlite.credentials").replacing(":\(site.port)/", with: ":\(refusing.port)/")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let result = try run(["pay", "--order", "5", "--json"])
        #expect(result.status == 78)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "signed_out")
        #expect(result.error.contains("'cardpresent login URL'"))
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try run(["pay", "5", "--seed", "1"]).status == 0)
    }

    @Test func `a wrong password is rejected, and nothing is stored`() throws {
        let site = try TestSite()
        defer { site.stop() }
        let result = try login(site, ["--json"], password: "wr0ng")
        #expect(result.status == 78)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "refused")
        #expect(!(result.output + result.error).contains("wr0ng"))
        #expect(try run(["sites"]).status == 78)
    }

    @Test(arguments: [
        ("html", 65, "not_wordpress"), ("elsewhere", 69, "redirected"), ("failing", 69, "server_failed"),
        ("cut", 65, "not_wordpress"),
    ])
    func `a misbehaving site is reported with the specific problem`(behavior: String, status: Int32, code: String)
        throws
    {
        let site = try TestSite { line in
            guard line.contains("users/me ") || line.contains("users/me&") || line.contains("users/me?") else {
                return nil
            }
            return switch behavior {
            case "html": TestSite.Answer(body: "<!DOCTYPE html><html></html>", type: "text/html")
            case "elsewhere":
                TestSite.Answer(status: 302, body: "", headers: ["Location: http://127.0.0.2:9/users/me"])
            case "failing": TestSite.Answer(status: 501, body: #"{"code":"x","message":"broken"}"#)
            default: TestSite.Answer(body: #"{"id":1,"user"#)
            }
        }
        defer { site.stop() }
        let result = try run(
            ["login", site.address, "--username", "anna", "--application-password-file", "-", "--json"],
            input: "abcd efgh")
        #expect(result.status == status, "\(result.error)")
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == code)
        #expect(!FileManager.default.fileExists(atPath: scratch.file("till.sqlite.credentials")))
    }

    @Test func `a revoked password signs out once, and payments stay`() throws {
        let site = try TestSite()
        #expect(try login(site).status == 0)
        site.stop()
        #expect(try run(["pay", "5", "--seed", "1"]).status == 0)
        let refusing = try TestSite { _ in
            TestSite.Answer(
                status: 401, body: #"{"code":"incorrect_password","message":"No.","data":{"status":401}}"#)
        }
        defer { refusing.stop() }
        // The same till, whose site has another port now.
        let path = scratch.file("till.sqlite.credentials")
        let text = try scratch.text("till.sqlite.credentials").replacing(":\(site.port)/", with: ":\(refusing.port)/")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let result = try run(["sites", "--json"])
        #expect(result.status == 78)
        #expect((try result.object()["error"] as? [String: Any])?["code"] as? String == "signed_out")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(
            (try run(["sites", "--json"]).object()["error"] as? [String: Any])?["code"] as? String == "not_signed_in")
        #expect(try run(["payments", "list", "--json"]).list().count == 1)
    }

    @Test func `credentials that other users can read are rejected, and payments continue`() throws {
        let site = try TestSite()
        defer { site.stop() }
        #expect(try login(site).status == 0)
        let path = scratch.file("till.sqlite.credentials")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let result = try run(["sites"])
        #expect(result.status == 78)
        #expect(result.error.contains("chmod 600"))
        #expect(!result.error.contains("m4de"))
        #expect(try run(["payments", "list"]).status == 0)
        #expect(try run(["logout"]).status == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [
        (["login"], "give the store's address"),
        (["login", "shop.example", "--username", "a", "--password-file", "-"], "is not an address"),
        (["login", "https://anna:x@shop.example", "--username", "a", "--password-file", "-"], "pass them separately"),
        (["login", "http://shop.example", "--username", "a", "--password-file", "-"], "is not encrypted"),
        (["login", "https://shop.example", "--password-file", "-"], "no user name"),
        (["login", "https://shop.example", "--username", "a"], "no terminal for the password prompt"),
        (["login", "https://shop.example", "--token-file", "-"], "--token-file cannot be used with"),
        (["login", "https://shop.example", "--username", "a", "--password-file", "/none"], "cannot read '/none'"),
    ])
    func `missing or invalid arguments are reported before anything is sent`(
        words: [String], message: String
    ) throws {
        let result = try run(words, input: "s3cret")
        #expect([64, 65].contains(result.status))
        #expect(result.error.contains(message), "\(result.error)")
        #expect(!result.error.contains("s3cret"))
    }

    @Test(arguments: ["", "\n", "two\nlines\n", "\u{0}", "\u{1B}[2J"])
    func `an invalid password is rejected`(input: String) throws {
        let result = try run(
            ["login", "http://127.0.0.1:9", "--username", "anna", "--password-file", "-"], input: input)
        #expect(result.status == 64)
        #expect(result.error.contains("standard input"))
    }
}
