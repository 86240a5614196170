import CardSecrets
import Cryptography
public import Files
public import Settings
import Text

/// The keys of a key file or of a PKCS#11 token, by name: a terminal master key, keys for MACs and PINs, base
/// derivation keys, initial keys of DUKPT.
///
/// The file is YAML that only its owner can read. Each entry has the name of a key, and below it `cipher`, `key`, and
/// `check`, and for an initial key of DUKPT its key serial number `ksn`:
///
/// ```yaml
/// TMK: { cipher: tdes, key: 0123456789ABCDEF FEDCBA9876543210, check: 08D7B4 }
/// ```
public struct HostKeys: Sendable, CustomStringConvertible {
    private let keys: [String: HostKey]
    /// Where the key serial numbers of initial keys are kept; nil for no place, as with keys of a token.
    public let serialNumbers: (any KeySerialNumberStore)?

    /// The longest file, in bytes.
    private static let limit = 65_536
    private static let most = 64

    /// - Parameters:
    ///   - keys: the keys. The first of a name counts.
    ///   - serialNumbers: where the key serial numbers of initial keys are kept; nil for no place.
    public init(_ keys: [HostKey], serialNumbers: (any KeySerialNumberStore)? = nil) {
        self.keys = Dictionary(keys.map { ($0.name, $0) }) { first, _ in first }
        self.serialNumbers = serialNumbers
    }

    /// Reads a key file, or finds the keys of a PKCS#11 token.
    ///
    /// - Parameter place: the path of a file, or a URI that begins with `pkcs11:`.
    /// - Returns: the keys.
    /// - Throws: ``HostKeysError``; no error has a digit of a key or of a PIN.
    public static func load(_ place: String) async throws(HostKeysError) -> HostKeys {
        guard TokenURI.names(place) else { return try HostKeys(path: place) }
        let uri: TokenURI
        do throws(TokenURIError) { uri = try TokenURI(place) } catch { throw .token(.uri(error), module: "") }
        do throws(TokenError) { return HostKeys(try await Self.keys(of: uri)) } catch {
            throw .token(error, module: uri.module)
        }
    }

    /// Reads a key file.
    ///
    /// - Throws: ``HostKeysError``; no error has a digit of a key.
    public init(path: String) throws(HostKeysError) {
        var bytes = try Self.contents(of: path)
        defer { bytes.wipe() }
        do throws(SettingsError) { keys = try Self.read(&bytes, file: path) } catch { throw .content(error) }
        serialNumbers = KeySerialNumberFile(beside: path)
    }

    /// Reads the content of a key file, and leaves no key in it; `file` is the file name for errors.
    ///
    /// - Throws: `SettingsError`
    init(replacingKeysIn bytes: inout [UInt8], file: String) throws(SettingsError) {
        keys = try Self.read(&bytes, file: file)
        serialNumbers = nil
    }

    /// Returns the key of a name; nil without one.
    public subscript(name: String) -> HostKey? { keys[name] }

    public var names: [String] { keys.keys.sorted() }

    public var description: String { "HostKeys(\(names.joined(separator: ", ")))" }

    private static func contents(of path: String) throws(HostKeysError) -> [UInt8] {
        do throws(FileStorageError) {
            if let bytes = try FileStorage(trust: .ownerAlone, limit: limit).contents(of: path) { return bytes }
        } catch { throw .file(error) }
        throw .missing(path: path)
    }

    private static func read(_ bytes: inout [UInt8], file: String) throws(SettingsError) -> [String: HostKey] {
        let marks = KeyFileText(replacingKeysIn: &bytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SettingsError(
                location: SettingsLocation(file: file, line: 1, column: 1), keyPath: "", problem: .notText)
        }
        let entries = try SettingsDocument(text: text, file: file).root.entries()
        var keys: [String: HostKey] = [:]
        for entry in entries {
            guard keys.count < most else { throw entry.value.error("more than \(most) keys") }
            guard entry.key.first?.isLetter == true, entry.key.utf8.count <= 40 else {
                throw entry.value.error(
                    "not the name of a key", fix: "write a name of up to 40 characters that begins with a letter")
            }
            keys[entry.key] = try key(entry.key, entry.value, marks)
        }
        return keys
    }

    private static func key(
        _ name: String, _ node: SettingsNode, _ marks: KeyFileText
    ) throws(SettingsError) -> HostKey {
        try node.mapping(allowedKeys: ["cipher", "key", "check", "ksn"])
        let cipher = try node.required("cipher").choice(HostKey.Cipher.self)
        let place = try node.required("key").concealed
        guard let bytes = marks.key(try place.text()) else {
            throw place.error(
                "not a key in hexadecimal digits", fix: "write two digits (0-9, A-F) for each byte of the key")
        }
        let number = try serialNumber(node, marks)
        let key: HostKey
        do throws(HostKeyError) { key = try HostKey(name, cipher, bytes, keySerialNumber: number) } catch {
            throw place.error("\(error)", fix: "write the whole key, or correct 'cipher'")
        }
        let check = try node.required("check").concealed
        let given = try check.hex(length: KeyCheckValue.lengths)
        let computed = key.checkValue.prefix(given.count)
        guard given.elementsEqual(computed) else {
            throw check.error(
                "the key has another check value",
                fix: "enter key and check value again; the digits that are there have \(computed.hexadecimal)")
        }
        return key
    }
}

extension HostKeys {
    /// The key serial number of an initial key. It has as many digits as a key, and is moved from the text like one.
    fileprivate static func serialNumber(
        _ node: SettingsNode, _ marks: KeyFileText
    ) throws(SettingsError) -> DUKPTKeySerialNumber? {
        guard let place = try node.optional("ksn")?.concealed else { return nil }
        let advice = "write 20 hexadecimal digits with tdes, and 24 with aes"
        guard let bytes = marks.key(try place.text()) else {
            throw place.error("not a key serial number in hexadecimal digits", fix: advice)
        }
        let number = bytes.withUnsafeBytes { [UInt8]($0) }
        do throws(DUKPTError) { return try DUKPTKeySerialNumber(number) } catch {
            throw place.error("\(error)", fix: advice)
        }
    }
}

/// Why a key file or a token can't be used. It has no digit of a key or of a PIN.
public enum HostKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    case missing(path: String)
    /// The file can't be read, or others can.
    case file(FileStorageError)
    /// A mistake, with its line.
    case content(SettingsError)
    /// The token with this PKCS#11 library, an absolute path; it is empty when the URI has none.
    case token(TokenError, module: String)

    /// The mistake.
    public var message: String {
        switch self {
        case .missing(let path): "there is no key file '\(path)'"
        case .file(.openToOthers(let path)): "other users have access to the key file '\(path)'"
        case .file(.belongsToAnother(let path)): "the key file '\(path)' belongs to another user"
        case .file(.notARegularFile(let path)): "the key file '\(path)' is a link, a folder, or a device"
        case .file(.tooLong(let path, let limit)): "the key file '\(path)' is longer than \(limit) bytes"
        case .file(let error): "\(error)"
        case .content(let error): error.located
        case .token(let error, _): error.description
        }
    }

    /// The advice; nil when the message says so.
    public var fix: String? {
        switch self {
        case .missing: "check the path"
        case .file(.openToOthers(let path)): "run: chmod 600 \(path)"
        case .file(.belongsToAnother(let path)): "run: sudo chown \"$USER\" \(path)"
        case .file(.notARegularFile): "give the file itself"
        case .file(.tooLong): "give the file with the keys"
        case .file: nil
        case .content(let error): error.fix
        case .token(let error, let module): error.fix(module: module)
        }
    }

    public var description: String { message + (fix.map { "; \($0)" } ?? "") }
}
