import Cryptography
public import Determinism
import PostgreSQL
import Text

/// The secret by which the server of a back office knows a person over HTTP. The database has its digest only.
public struct OfficeToken: Sendable {
    /// The digest of the token, 32 bytes (SHA-256).
    let digest: [UInt8]

    /// Makes a token of 192 random bits.
    ///
    /// - Returns: the token, and its text for the person, which is shown once.
    /// - Throws: ``FleetError/noDigest``
    public static func make(_ random: any RandomSource) throws(FleetError) -> (token: OfficeToken, text: String) {
        let text = "cpf_" + random.bytes(24).lowercaseHexadecimal
        return (try OfficeToken(text), text)
    }

    /// Takes the text that a person gives.
    ///
    /// - Throws: ``FleetError/noDigest``
    public init(_ text: String) throws(FleetError) {
        // 192 random bits need no slow digest.
        do throws(CryptographyError) { digest = try SHA256.hash(Array(text.utf8)) } catch { throw .noDigest }
    }
}

/// A token, as the back office keeps it.
public struct KeptToken: Hashable, Sendable {
    /// From 1.
    public let number: Int64
    /// Whose rights it gives.
    public let login: String
    /// What it is for, in words of the person who made it.
    public let note: String?
    public let madeAt: Timestamp
    public let expiresAt: Timestamp
    /// Nil when it was not revoked.
    public let revokedAt: Timestamp?
    /// Whether it works.
    public let isValid: Bool
}

/// What a token is worth.
public enum TokenVerdict: Hashable, Sendable {
    /// It stands for this login.
    case login(String)
    case unknown
    case expired
    case revoked
    /// Its login has come to do more than an office allows since it was made.
    case tooMighty
}

extension BackOffice {
    /// Keeps the digest of a token, and lets servers take the role of its login.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - login: a login with an office, that may do no more than it.
    ///   - days: how long it works.
    ///   - note: what it is for.
    /// - Returns: its number, and the moment at which it ends.
    /// - Throws: ``FleetError``
    public func keep(
        _ token: OfficeToken, for login: String, days: Int, note: String?
    ) async throws(FleetError) -> (number: Int64, expiresAt: Timestamp) {
        let rows = try await run(
            Statement(
                "SELECT * FROM fleet.make_token($1, $2, $3, $4)", .text(login), .bytes(token.digest),
                .integer(Int64(days)), .text(note)))
        return try Self.reading { () throws(PostgreSQLError) in
            let row = try rows.only()
            return (try row.value("number"), Timestamp(milliseconds: try row.value("expires")))
        }
    }

    /// Takes the effect from one token, or from all of a login. It counts from the next request.
    ///
    /// - Returns: the number of tokens that worked until now.
    /// - Throws: ``FleetError``, ``FleetError/noSuchToken`` for none.
    public func revokeTokens(number: Int64? = nil, of login: String? = nil) async throws(FleetError) -> Int64 {
        let rows = try await run(
            Statement("SELECT fleet.revoke_token($1, $2) AS revoked", .text(login), .integer(number)))
        let revoked: Int64 = try Self.reading { () throws(PostgreSQLError) in try rows.only().value("revoked") }
        guard revoked > 0 else { throw .noSuchToken }
        return revoked
    }

    /// Returns all tokens, for the owner of the database.
    ///
    /// - Throws: ``FleetError``
    public func tokens() async throws(FleetError) -> [KeptToken] {
        let rows = try await run(
            Statement(
                """
                SELECT t.number, t.login, t.note, (extract(epoch FROM t.made_at) * 1000)::bigint AS made,
                    (extract(epoch FROM t.expires_at) * 1000)::bigint AS expires,
                    (extract(epoch FROM t.revoked_at) * 1000)::bigint AS revoked,
                    t.revoked_at IS NULL AND t.expires_at > clock_timestamp() AND NOT fleet.is_mighty(t.login)
                        AS valid
                FROM fleet.token t ORDER BY t.number
                """))
        return try Self.reading { () throws(PostgreSQLError) in
            try rows.map { row throws(PostgreSQLError) in
                KeptToken(
                    number: try row.value("number"), login: try row.value("login"), note: try row.optional("note"),
                    madeAt: Timestamp(milliseconds: try row.value("made")),
                    expiresAt: Timestamp(milliseconds: try row.value("expires")),
                    revokedAt: try row.optional("revoked", as: Int64.self).map { Timestamp(milliseconds: $0) },
                    isValid: try row.value("valid"))
            }
        }
    }

    /// Returns what a token is worth now, for a server.
    ///
    /// - Throws: ``FleetError``
    public func verdict(on token: OfficeToken) async throws(FleetError) -> TokenVerdict {
        let rows = try await reader.run(Statement("SELECT * FROM fleet.token_login($1)", .bytes(token.digest)))
        guard let row = rows.first else { return .unknown }
        return try Self.reading { () throws(PostgreSQLError) in
            switch try row.value("state", as: String.self) {
            case "valid": .login(try row.value("login"))
            case "expired": .expired
            case "mighty": .tooMighty
            default: .revoked
            }
        }
    }
}
