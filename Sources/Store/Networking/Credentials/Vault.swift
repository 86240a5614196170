import CLinux
public import Files
import Glibc
import Text

/// Stores the sign-in, including secrets, between runs of the program.
public protocol Vault: Sendable {
    /// The place of the vault, for messages.
    var place: String { get }

    /// Returns the stored sign-in; nil when there is none.
    ///
    /// - Throws: ``VaultError``
    func load() throws(VaultError) -> SignIn?

    /// Replaces the stored sign-in atomically.
    ///
    /// - Throws: ``VaultError``
    func save(_ signIn: SignIn) throws(VaultError)

    /// Deletes the stored sign-in, if any.
    ///
    /// - Throws: ``VaultError``
    func clear() throws(VaultError)
}

/// A failure to store or load the sign-in. The texts contain no secrets.
public enum VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    case file(FileStorageError)
    /// The kernel's keyring is not available or rejects the key.
    case keyring(FileError)
    /// The stored data is invalid; the reason does not quote it.
    case malformed(place: String, reason: String)
    /// A newer version of the program stored it.
    case newerVersion(place: String, found: Int)

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .keyring(let error):
            "cannot use the kernel's keyring (\(error)): set 'store.credentials: file' in the configuration to store the "
                + "credentials in a file"
        case .malformed(let place, let reason):
            "cannot use the credentials in \(place): \(reason). Run 'cardpresent logout', then sign in again"
        case .newerVersion(let place, let found):
            "the credentials in \(place) have version \(found), which this program does not support: use a newer version"
        }
    }
}

/// Stores the sign-in in a file that only its owner can read. Rejects links, files of other users, and files that
/// others can read.
public struct FileVault: Vault {
    private let path: String
    private let storage = FileStorage(trust: .ownerAlone, limit: SignInRecord.maximumSize)

    /// Names the file, which need not exist until a sign-in is stored.
    public init(path: String) { self.path = path }

    public var place: String { "'\(path)'" }

    public func load() throws(VaultError) -> SignIn? {
        var bytes: [UInt8]
        do throws(FileStorageError) {
            guard let contents = try storage.contents(of: path) else { return nil }
            bytes = contents
        } catch {
            throw .file(error)
        }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return try SignInRecord.signIn(bytes, from: place)
    }

    public func save(_ signIn: SignIn) throws(VaultError) {
        var bytes = SignInRecord.bytes(signIn)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        do throws(FileStorageError) { try storage.replace(path, with: bytes) } catch { throw .file(error) }
    }

    public func clear() throws(VaultError) {
        do throws(FileStorageError) { try storage.delete(path) } catch { throw .file(error) }
    }
}

/// Stores the sign-in in the user's kernel keyring (keyrings(7)): never on disk, and lost when the user's last process
/// ends or the machine restarts.
public struct KeyringVault: Vault {
    private let description: String

    /// - Parameter name: distinguishes the keys of this program, for example by database.
    public init(name: String) { description = "cardpresent:" + name }

    public var place: String { "the kernel's keyring" }

    /// All permissions for possessor and owner, none for others. A process of another login session does not possess
    /// the key but is still its owner.
    private static let permissions: UInt32 = 0x3F3F_0000

    public func load() throws(VaultError) -> SignIn? {
        guard let key = try find() else { return nil }
        var bytes = [UInt8](repeating: 0, count: SignInRecord.maximumSize)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        let count = bytes.withUnsafeMutableBytes { ckeyring_read(key, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw Self.failure(count) }
        guard count <= bytes.count else { throw .malformed(place: place, reason: "they are too long") }
        return try SignInRecord.signIn(Array(bytes.prefix(count)), from: place)
    }

    public func save(_ signIn: SignIn) throws(VaultError) {
        var bytes = SignInRecord.bytes(signIn)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        let key = bytes.withUnsafeBytes {
            ckeyring_add(description, $0.baseAddress, $0.count, KEY_SPEC_USER_KEYRING)
        }
        guard key >= 0 else { throw Self.failure(key) }
        let result = ckeyring_set_permissions(key, Self.permissions)
        guard result >= 0 else {
            _ = ckeyring_unlink(key, KEY_SPEC_USER_KEYRING)
            throw Self.failure(result)
        }
    }

    public func clear() throws(VaultError) {
        guard let key = try find() else { return }
        let result = ckeyring_unlink(key, KEY_SPEC_USER_KEYRING)
        guard result >= 0 else { throw Self.failure(result) }
    }

    /// Returns the ID of the key; nil when it does not exist anymore.
    private func find() throws(VaultError) -> Int? {
        let key = ckeyring_search(KEY_SPEC_USER_KEYRING, description)
        switch CInt(truncatingIfNeeded: -key) {
        case ENOKEY, EKEYREVOKED, EKEYEXPIRED: return nil
        default: break
        }
        guard key >= 0 else { throw Self.failure(key) }
        return key
    }

    private static func failure(_ result: Int) -> VaultError {
        .keyring(FileError(code: CInt(truncatingIfNeeded: -result)))
    }
}

/// The stored form of a sign-in: one JSON object.
enum SignInRecord {
    /// The maximum size, in bytes.
    static let maximumSize = 16_384

    private static let version = 1

    private enum Kind: String { case wordPressDotcom, site, applicationPassword }

    static func bytes(_ signIn: SignIn) -> [UInt8] {
        var members = [JSONValue.Member("version", JSONValue(version))]
        func add(_ name: String, _ value: String?) {
            if let value { members.append(JSONValue.Member(name, .text(value))) }
        }
        switch signIn.credentials {
        case .wordPressDotcom(let username, let token, let site):
            add("kind", Kind.wordPressDotcom.rawValue)
            add("username", username)
            add("secret", token.revealed())
            add("site", site?.text)
        case .site(let username, let password, let site):
            add("kind", Kind.site.rawValue)
            add("username", username)
            add("secret", password.revealed())
            add("site", site.text)
        case .applicationPassword(let password, let site):
            add("kind", Kind.applicationPassword.rawValue)
            add("username", password.username)
            add("secret", password.password.revealed())
            add("uuid", password.uuid)
            add("site", site.text)
        }
        add("dotcom", signIn.dotcom.text)
        if let siteID = signIn.siteID { members.append(JSONValue.Member("siteID", JSONValue(siteID))) }
        return Array((JSONValue.object(members).jsonText + "\n").utf8)
    }

    /// `place`: the source of the bytes, for errors.
    static func signIn(_ bytes: [UInt8], from place: String) throws(VaultError) -> SignIn {
        func failure(_ reason: String) -> VaultError { .malformed(place: place, reason: reason) }
        let record: JSONValue
        do throws(JSONSyntaxError) { record = try JSONDocument(bytes).value } catch {
            throw failure("they are not JSON")
        }
        guard case .number(let text) = record["version"], let found = Int(text) else {
            throw failure("they have no version")
        }
        guard found <= version else { throw .newerVersion(place: place, found: found) }
        func word(_ name: String) throws(VaultError) -> String {
            guard case .text(let text) = record[name] else { throw failure("'\(name)' is missing") }
            return text
        }
        func address(_ name: String) throws(VaultError) -> WebAddress {
            let text = try word(name)
            do throws(WebAddressError) { return try WebAddress(text) } catch {
                throw failure("'\(name)' is not an address")
            }
        }
        guard let kind = Kind(rawValue: try word("kind")) else { throw failure("their kind is unknown") }
        let (username, secret) = (try word("username"), Secret(try word("secret")))
        let credentials: Credentials =
            switch kind {
            case .wordPressDotcom:
                .wordPressDotcom(
                    username: username, token: secret, site: record["site"] == nil ? nil : try address("site"))
            case .site: .site(username: username, password: secret, site: try address("site"))
            case .applicationPassword:
                .applicationPassword(
                    ApplicationPassword(username: username, password: secret, uuid: record["uuid"]?.textValue),
                    site: try address("site"))
            }
        var siteID: Int64?
        if let value = record["siteID"] {
            guard case .number(let digits) = value, let number = Int64(digits) else {
                throw failure("'siteID' is not a number")
            }
            siteID = number
        }
        return SignIn(credentials: credentials, dotcom: try address("dotcom"), siteID: siteID)
    }
}
