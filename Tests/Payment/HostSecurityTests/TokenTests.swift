import CardSecrets
import Cryptography
import Determinism
import Files
import Foundation
import ISO8583
import Testing

@testable import HostSecurity

/// SoftHSM, with tokens that are made once: a process has one configuration of it, which is read at its first call.
enum SoftHSM {
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    static let master = "0123456789ABCDEFFEDCBA9876543210"
    static let aes = "2B7E151628AED2A6ABF7158809CF4F3C"
    static let hmac = String(repeating: "0B", count: 32)
    private static let folder = NSTemporaryDirectory() + "softhsm-\(UUID().uuidString)"

    struct Failure: Error { var words: String }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ["SOFTHSM2_CONF": folder + "/softhsm2.conf", "PATH": "/usr/bin:/bin"]
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(words: String(decoding: text, as: UTF8.self)) }
    }

    private static func pin(_ digits: String, to name: String, mode: Int = 0o600) throws {
        let path = folder + "/" + name
        try Data((digits + "\n").utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private static let made: Result<Void, any Error> = Result {
        try FileManager.default.createDirectory(atPath: folder + "/tokens", withIntermediateDirectories: true)
        _ = atexit { try? FileManager.default.removeItem(atPath: SoftHSM.folder) }
        let settings = "directories.tokendir = \(folder)/tokens\nobjectstore.backend = file\nlog.level = ERROR\n"
        try Data(settings.utf8).write(to: URL(filePath: folder + "/softhsm2.conf"))
        try pin("1234", to: "pin")
        try pin("9999", to: "wrong")
        try pin("", to: "empty")
        try pin("1234", to: "open", mode: 0o644)
        for token in ["till", "guarded", "bare", "twice"] {
            try run("softhsm2-util", ["--init-token", "--free", "--label", token, "--so-pin", "5678", "--pin", "1234"])
        }
        let writer = URL(filePath: #filePath).appending(path: "../../../../Scripts/python/token_keys.py").standardized
        try run(
            "python3",
            [
                writer.path, module, "till", "1234", "TMK=des2:\(master)", "KEK=aes:\(aes)", "PEK=aes:\(aes)",
                "SINGLE=des2:0123456789ABCDEF0123456789ABCDEF", "HAK=generic:\(hmac)", "IDLE=aes-:\(aes)",
            ])
        try run("python3", [writer.path, module, "twice", "1234", "TMK=des2:\(master)", "TMK=aes:\(aes)"])
        setenv("SOFTHSM2_CONF", folder + "/softhsm2.conf", 1)
    }

    /// The URI of a token.
    static func uri(_ token: String, pin: String? = "pin", more: String = "") throws -> String {
        try made.get()
        return "pkcs11:token=\(token)\(more)?module-path=\(module)" + (pin.map { "&pin-source=\(folder)/\($0)" } ?? "")
    }

    static func path(_ name: String) -> String { folder + "/" + name }
}

@Suite("Keys in a PKCS#11 token")
struct TokenTests {
    private func keys(_ token: String = "till", pin: String? = "pin", more: String = "") async throws -> HostKeys {
        try await HostKeys.load(try SoftHSM.uri(token, pin: pin, more: more))
    }

    private func authenticator(
        _ algorithm: SecurityRules.MACRule.Algorithm, padding: Int = 1, bytes: Int = 8
    ) -> MessageAuthenticator {
        MessageAuthenticator(
            SecurityRules.MACRule(algorithm: algorithm, padding: padding, bytes: bytes, key: "TAK", messages: [.sale]))
    }

    @Test func `keys are found by their labels, with the check values of the key file`() async throws {
        let keys = try await keys()
        #expect(keys.names == ["HAK", "IDLE", "KEK", "PEK", "SINGLE", "TMK"])
        let master = try #require(keys["TMK"])
        #expect(master.isInToken && master.bytes.isEmpty && master.cipher == .tripleDES)
        #expect("\(master)" == "TMK (tdes, in the token 'till', check value 08D7B4)")
        #expect(keys["PEK"]?.checkValue == (try key("PEK", SoftHSM.aes, .aes)).checkValue)
        #expect(keys["HAK"]?.checkValue == (try key("HAK", SoftHSM.hmac, .hmac)).checkValue)
        #expect(keys["IDLE"]?.checkValue.isEmpty == true)
        #expect(try await self.keys(more: ";object=TMK;type=secret-key").names == ["TMK"])
    }

    @Test func `MACs are the published ones, and those of a key file`() async throws {
        let keys = try await keys()
        let text = Array("Now is the time for all ".utf8)
        let single = try #require(keys["SINGLE"])
        // ANSI X9.9, RFC 4493
        #expect(
            try await authenticator(.iso9797Algorithm1).code(text, key: single, fieldLength: 8)
                == hex("70A30640CC76DD8B"))
        let block = hex("6BC1BEE22E409F96E93D7E117393172A")
        let aes = try #require(keys["PEK"])
        #expect(try await authenticator(.cmac).code(block, key: aes, fieldLength: 8) == hex("070A16B46B4D4144"))
        let pairs: [(SecurityRules.MACRule.Algorithm, String, HostKey)] = [
            (.iso9797Algorithm1, "TMK", try key("TAK", SoftHSM.master)),
            (.cmac, "TMK", try key("TAK", SoftHSM.master)), (.cmac, "PEK", try key("TAK", SoftHSM.aes, .aes)),
            (.hmacSHA256, "HAK", try key("TAK", SoftHSM.hmac, .hmac)),
        ]
        for (algorithm, name, other) in pairs {
            let inToken = try #require(keys[name])
            for padding in [1, 2] {
                for count in [0, 1, 8, 23, 1000] {
                    let message = [UInt8](repeating: 0x31, count: count)
                    let authenticator = authenticator(algorithm, padding: padding, bytes: 4)
                    let made = try await authenticator.code(message, key: inToken, fieldLength: 8)
                    let expected = try await authenticator.code(message, key: other, fieldLength: 8)
                    #expect(made == expected, "\(algorithm) \(name) \(padding) \(count)")
                }
            }
        }
    }

    @Test func `a retail MAC takes a key that leaves the token, and a profile says so before anything is sent`()
        async throws
    {
        let keys = try await keys()
        let sealed = try profile("security:\n  mac: { algorithm: iso9797-3, key: SINGLE, on: [sale] }\n")
        #expect(sealed.keyObstacle(keys) == .tokenMAC("SINGLE", .iso9797Algorithm3))
        await #expect(
            throws: MACFailure.token(.mechanism("ISO/IEC 9797-1 algorithm 3", key: "SINGLE", token: "till"))
        ) {
            _ = try await authenticator(.iso9797Algorithm3).code([1], key: try #require(keys["SINGLE"]), fieldLength: 8)
        }
        let derived = try profile(
            "security:\n  mac: { algorithm: cmac, key: PEK, scheme: dukptAES, ksn: 48, on: [sale] }\n"
                + "fields: { 48: { attribute: b, kind: LLL, maximum: 20 } }\n")
        #expect(derived.keyObstacle(keys) == .derivesInToken("PEK"))
    }

    @Test(arguments: [false, true])
    func `exchanged keys are deciphered and enciphered by the token, and compared with their check values`(
        withAES: Bool
    ) async throws {
        let profile = try profile(
            withAES
                ? """
                fields: { 52: { length: 16 } }
                messages: { keyExchange: { mti: "0800", keyForm: aesEcbUnderTMK } }
                security:
                  masterKey: KEK
                  pin: { format: 4, scheme: masterSession, key: TPK }
                  mac: { algorithm: cmac, key: TAK, on: [sale] }
                """
                : """
                security:
                  pin: { format: 0, scheme: masterSession, key: TPK }
                  mac: { algorithm: iso9797-3, key: TAK, on: [sale] }
                """)
        let keys = try await keys()
        #expect(profile.keyObstacle(keys) == nil)
        let inToken = try #require(SessionKeyField(profile, keys))
        let known =
            withAES ? try key("KEK", SoftHSM.aes, .aes) : try key("TMK", SoftHSM.master)
        let inMemory = try #require(SessionKeyField(profile, HostKeys([known])))
        for (maker, reader) in [(inToken, inMemory), (inMemory, inToken)] {
            let made = try await maker.make(SeededRandomSource(seed: 5))
            let form = try #require(profile.messages[.keyExchange])
            var answer = ISOMessage(form.answer)
            answer.set(maker.number, bytes: made.value)
            let read = try await reader.read(answer)
            #expect(read.map(\.name) == ["TPK", "TAK"])
            for (one, other) in zip(made.keys, read) { #expect(one.bytes.revealed == other.bytes.revealed) }
        }
    }

    @Test(arguments: [0, 4]) func `a PIN block of the token opens with the key of the acquirer`(format: Int)
        async throws
    {
        let keys = try await keys()
        let (inToken, other) = (
            try #require(keys[format == 0 ? "TMK" : "PEK"]),
            format == 0 ? try key("TPK", SoftHSM.master) : try key("TPK", SoftHSM.aes, .aes)
        )
        let number = try PrimaryAccountNumber(digits: Array("4761739001010010".utf8))
        let form = try #require(SessionPINBlock(format: format))
        let random = [UInt8](repeating: 9, count: 8)
        let block = try await form.encipher(SensitiveBytes([1, 2, 3, 4]), pan: number, key: inToken, random: random)
        let expected = try await form.encipher(SensitiveBytes([1, 2, 3, 4]), pan: number, key: other, random: random)
        #expect(block == expected)
        let opened = try await form.open(block, pan: number, key: other)
        #expect(opened.revealed == [1, 2, 3, 4])
        let openedThere = try await form.open(block, pan: number, key: inToken)
        #expect(openedThere.revealed == [1, 2, 3, 4])
    }

    private func failure(_ place: String) async -> TokenError? {
        do throws(HostKeysError) { _ = try await HostKeys.load(place) } catch {
            if case .token(let error, _) = error { return error }
        }
        return nil
    }

    @Test func `a wrong PIN is tried once, and the error counts`() async throws {
        let uri = try SoftHSM.uri("guarded", pin: "wrong")
        let error = try #require(await failure(uri))
        #expect(error == .wrongPIN(token: "guarded", path: SoftHSM.path("wrong"), isLow: true))
        #expect(error.description.contains("tried once") && error.description.contains("locks itself"))
        #expect(!"\(error)".contains("9999"))
    }

    @Test func `each mistake has its error, and the command that fixes it`() async throws {
        let uri = try SoftHSM.uri("till")
        let none = try #require(await failure(try SoftHSM.uri("desk")))
        guard case .noToken("'desk'", let found, SoftHSM.module) = none else {
            Issue.record("\(none)")
            return
        }
        #expect(Set(found).isSuperset(of: ["'till'", "'guarded'", "'bare'"]))
        #expect(none.fix(module: "")?.contains("pkcs11-tool --module \(SoftHSM.module) --list-slots") == true)
        let missing = await failure(try SoftHSM.uri("till", more: ";object=TPK"))
        #expect(missing == .noKey("TPK", token: "till", found: ["HAK", "IDLE", "KEK", "PEK", "SINGLE", "TMK"]))
        #expect(await failure(try SoftHSM.uri("bare")) == .noKey(nil, token: "bare", found: []))
        #expect(await failure(try SoftHSM.uri("twice")) == .sameLabel("TMK", token: "twice"))
        #expect(await failure(try SoftHSM.uri("till", pin: "none")) == .noPINFile(path: SoftHSM.path("none")))
        #expect(await failure(try SoftHSM.uri("till", pin: "empty")) == .emptyPIN(path: SoftHSM.path("empty")))
        let open = try #require(await failure(try SoftHSM.uri("till", pin: "open")))
        #expect(open == .pinFile(.openToOthers(path: SoftHSM.path("open"))))
        #expect(open.fix(module: "") == "run: chmod 600 \(SoftHSM.path("open"))")
        #expect(await failure(try SoftHSM.uri("till", pin: nil)) == .needsPIN(token: "till"))
        let module = try #require(await failure(uri.replacing(SoftHSM.module, with: "/nowhere/module.so")))
        guard case .module("/nowhere/module.so", _) = module else {
            Issue.record("\(module)")
            return
        }
        let other = try #require(
            await failure(uri.replacing(SoftHSM.module, with: "/usr/lib/x86_64-linux-gnu/libc.so.6")))
        #expect(other.description.contains("C_GetFunctionList"))
    }

    @Test func `a command of a fix names the library of the URI`() async throws {
        let uri = try SoftHSM.uri("till", more: ";object=TPK")
        do throws(HostKeysError) {
            _ = try await HostKeys.load(uri)
            Issue.record("there is a key TPK")
        } catch {
            let fix = try #require(error.fix)
            #expect(fix.contains("pkcs11-tool --module \(SoftHSM.module) --login") && !fix.contains("…"), "\(fix)")
        }
    }

    @Test func `a key that permits nothing says what is false`() async throws {
        let idle = try #require(try await keys()["IDLE"])
        await #expect(throws: MACFailure.token(.notPermitted("CKA_SIGN", key: "IDLE"))) {
            _ = try await authenticator(.cmac).code([1], key: idle, fieldLength: 8)
        }
    }
}

@Suite("URIs of tokens")
struct TokenURITests {
    @Test func `all parts of a URI are read`() throws {
        let uri = try TokenURI(
            "pkcs11:token=Till%20One;serial=0a1b;manufacturer=M;model=X;object=TMK;type=secret-key"
                + "?pin-source=file:///run/till.pin&module-path=/usr/lib/softhsm/libsofthsm2.so")
        #expect(uri.token == "Till One" && uri.serial == "0a1b" && uri.object == "TMK")
        #expect(uri.pinSource == "/run/till.pin" && uri.module == "/usr/lib/softhsm/libsofthsm2.so")
        #expect(TokenURI.names("PKCS11:token=a") && !TokenURI.names("keys.yaml"))
    }

    @Test(arguments: [
        ("pkcs11:token=a?module-path=/m.so&pin-value=1234", TokenURIError.pinValue),
        ("pkcs11:token=a;pin-value=1234?module-path=/m.so", .pinValue), ("pkcs11:token=a", .noModule),
        ("pkcs11:token=a?module-path=m.so", .relative("module-path")),
        ("pkcs11:token=a?module-path=/m.so&pin-source=1234", .relative("pin-source")),
        ("pkcs11:token=a?module-path=/m.so&pin-source=|cat", .relative("pin-source")),
        ("pkcs11:tokn=a?module-path=/m.so", .unknown("tokn", nearest: "token")),
        ("pkcs11:module-path=/m.so", .unknown("module-path", nearest: nil)),
        ("pkcs11:token=a;token=b?module-path=/m.so", .twice("token")), ("pkcs11:1234?module-path=/m.so", .noValue),
        ("pkcs11:type=private?module-path=/m.so", .wrongType), ("keys.yaml", .noURI),
    ])
    func `a mistake is an error that has no PIN`(text: String, error: TokenURIError) {
        #expect(throws: error) { _ = try TokenURI(text) }
        #expect(!"\(error)\(error.fix)".contains("1234"))
    }
}
