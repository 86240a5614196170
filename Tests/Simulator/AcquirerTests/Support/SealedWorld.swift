import CardSecrets
import Connections
import Cryptography
import Determinism
import Foundation
import HostSecurity
import ISO8583
import Simulator
import Testing
import Text

@testable import Acquirer

/// The keys of tests, and profiles that have MACs.
enum SealedHost {
    static let master = "0123456789ABCDEFFEDCBA9876543210"
    static let mac = "C1D0F8FB4958670DBA40AB1F3752EF0D"

    static func key(_ name: String, _ digits: String, _ cipher: HostKey.Cipher = .tripleDES) throws -> HostKey {
        try HostKey(name, cipher, SensitiveBytes(try #require([UInt8](hexadecimal: digits))))
    }

    /// Fixed keys, or the master key of an exchange.
    static func keys(_ name: String = "TAK", _ digits: String = mac) throws -> HostKeys {
        HostKeys([try key(name, digits)])
    }

    /// The profile that the documentation shows.
    static func example() throws -> MessageProfile {
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        return try MessageProfile(path: root.appending(path: "Examples/hosts/mac-host.yaml").path)
    }

    /// Makes messages about money have MACs.
    static func seal(_ profile: inout MessageProfile) {
        profile.security.mac = SecurityRules.MACRule(
            algorithm: .iso9797Algorithm3, padding: 1, bytes: 8, scheme: .masterSession, key: "TAK",
            messages: [.sale, .authorization, .reversal, .refund, .offlineAdvice, .declineAdvice])
    }
}

extension AcquirerClient {
    /// Sends a message with a MAC, whose bytes `change` may damage; the answer with the finding about its MAC.
    func ask(
        _ message: ISOMessage, sealedWith key: HostKey, change: (inout [UInt8]) -> Void = { _ in }
    ) async throws -> (answer: ISOMessage, finding: MessageAuthenticator.Finding) {
        let authenticator = MessageAuthenticator(try #require(profile.security.mac))
        let codec = profile.makeCodec()
        var encoded = try codec.encode(message, hasMAC: true)
        try await authenticator.seal(&encoded, with: key)
        var body = encoded.bytes
        change(&body)
        try await write(try #require(profile.frame.frame(body)))
        guard case .body(let answer)? = try await content() else { throw NoAnswer() }
        let decoded = try codec.decode(answer)
        return (decoded.message, await authenticator.check(decoded, in: answer, with: key))
    }

    struct NoAnswer: Error {}
}
