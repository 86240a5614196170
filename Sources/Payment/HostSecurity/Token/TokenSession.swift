import CToken
import CardSecrets
import Cryptography
import Files
import ISO8583

/// A session with one token, in which its user is logged in. It ends when its last key is released.
final class TokenSession: Sendable {
    /// The label of the token.
    let token: String
    private let handle: UInt
    private let module: TokenModule

    private init(_ token: String, _ handle: UInt, _ module: TokenModule) {
        (self.token, self.handle, self.module) = (token, handle, module)
    }

    deinit { module.start { [handle] in _ = $0.table.pointee.close_session(handle) } }

    /// A key of the token.
    struct Entry: Sendable {
        let label: String
        let cipher: HostKey.Cipher
        let object: UInt
    }

    /// Opens a session with the token of a URI, and finds its keys. A PIN is tried once, and never when one more wrong
    /// one would lock the token.
    ///
    /// - Throws: ``TokenError``
    static func open(_ uri: TokenURI) async throws(TokenError) -> (session: TokenSession, entries: [Entry]) {
        let module = TokenModule.at(uri.module)
        let opened = try await module.run { (functions) throws(TokenError) -> (TokenInfo, UInt, [Entry]) in
            let token = try Self.choose(uri, functions)
            var session: UInt = 0
            // CKF_SERIAL_SESSION: nothing is written to the token.
            let code = functions.table.pointee.open_session(token.slot, 0x4, nil, nil, &session)
            guard code == 0 else { throw Self.failure(code, "C_OpenSession", token: token.label) }
            do throws(TokenError) {
                try Self.logIn(uri, token, session, functions)
                return (token, session, try Self.entries(uri, token, session, functions))
            } catch {
                _ = functions.table.pointee.close_session(session)
                throw error
            }
        }
        return (TokenSession(opened.0.label, opened.1, module), opened.2)
    }

    private static func choose(
        _ uri: TokenURI, _ functions: TokenModule.Functions
    ) throws(TokenError) -> TokenInfo {
        let found = try TokenInfo.all(functions)
        let fitting = found.filter { $0.fits(uri) }
        guard let token = fitting.first else {
            let wanted = uri.token.map { "'\($0)'" } ?? uri.serial.map { "with the serial \($0)" } ?? "that fits"
            throw .noToken(wanted, found: found.map { "'\($0.label)'" }, module: uri.module)
        }
        guard fitting.count == 1 else { throw .severalTokens(fitting.map(\.serial)) }
        return token
    }

    private static func logIn(
        _ uri: TokenURI, _ token: TokenInfo, _ session: UInt, _ functions: TokenModule.Functions
    ) throws(TokenError) {
        guard let path = uri.pinSource else {
            if token.needsLogin { throw .needsPIN(token: token.label) }
            return
        }
        guard !token.isLocked else { throw .locked(token: token.label) }
        guard !token.hasLastTry else { throw .lastTry(token: token.label) }
        var pin = try self.pin(path)
        defer { pin.wipe() }
        // CKU_USER
        let code = pin.withUnsafeBufferPointer {
            functions.table.pointee.login(session, 1, $0.baseAddress, UInt($0.count))
        }
        switch code {
        // CKR_USER_ALREADY_LOGGED_IN: in another session of this process.
        case 0, 0x100: return
        // CKR_PIN_INCORRECT, CKR_PIN_INVALID, CKR_PIN_LEN_RANGE
        case 0xA0, 0xA1, 0xA2:
            let state = TokenInfo(token.slot, functions) ?? token
            throw .wrongPIN(token: token.label, path: path, isLow: state.hasFewTries || state.hasLastTry)
        // CKR_PIN_LOCKED
        case 0xA4: throw .locked(token: token.label)
        default: throw failure(code, "C_Login", token: token.label)
        }
    }

    /// The PIN of a file: its first line.
    private static func pin(_ path: String) throws(TokenError) -> [UInt8] {
        var content: [UInt8]?
        do throws(FileStorageError) {
            content = try FileStorage(trust: .ownerAlone, limit: 255).contents(of: path)
        } catch { throw .pinFile(error) }
        guard var bytes = content.take() else { throw .noPINFile(path: path) }
        defer { bytes.wipe() }
        let line = [UInt8](bytes.prefix { $0 != 0x0A && $0 != 0x0D })
        guard !line.isEmpty else { throw .emptyPIN(path: path) }
        return line
    }

    /// The secret keys of the token that have a label and a known type.
    private static func entries(
        _ uri: TokenURI, _ token: TokenInfo, _ session: UInt, _ functions: TokenModule.Functions
    ) throws(TokenError) -> [Entry] {
        let table = functions.table.pointee
        // CKO_SECRET_KEY
        var kind: UInt = 4
        var code = withUnsafeMutableBytes(of: &kind) { buffer in
            var template = cpkcs11_attribute(type: 0, value: buffer.baseAddress, length: UInt(buffer.count))
            return table.find_objects_init(session, &template, 1)
        }
        guard code == 0 else { throw failure(code, "C_FindObjectsInit", token: token.label) }
        let room = 256
        var objects = [UInt](repeating: 0, count: room)
        var count: UInt = 0
        code = table.find_objects(session, &objects, UInt(room), &count)
        _ = table.find_objects_final(session)
        guard code == 0 else { throw failure(code, "C_FindObjects", token: token.label) }
        var entries: [Entry] = []
        for object in objects.prefix(Int(min(count, UInt(room)))) {
            // CKA_LABEL and CKA_KEY_TYPE
            guard let label = attribute(3, of: object, session, functions), !label.isEmpty,
                let type = attribute(0x100, of: object, session, functions), type.count == MemoryLayout<UInt>.size,
                let cipher = HostKey.Cipher(keyType: type.withUnsafeBytes { $0.loadUnaligned(as: UInt.self) })
            else { continue }
            entries.append(Entry(label: String(decoding: label, as: UTF8.self), cipher: cipher, object: object))
        }
        let labels = Set(entries.map(\.label)).sorted()
        if let wanted = uri.object { entries = entries.filter { $0.label == wanted } }
        guard !entries.isEmpty else { throw .noKey(uri.object, token: token.label, found: labels) }
        for (place, entry) in entries.enumerated() where entries[..<place].contains(where: { $0.label == entry.label })
        {
            throw .sameLabel(entry.label, token: token.label)
        }
        return entries
    }

    private static func attribute(
        _ type: UInt, of object: UInt, _ session: UInt, _ functions: TokenModule.Functions
    ) -> [UInt8]? {
        let table = functions.table.pointee
        var attribute = cpkcs11_attribute(type: type, value: nil, length: 0)
        guard table.get_attribute_value(session, object, &attribute, 1) == 0, attribute.length <= 4096 else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Int(attribute.length))
        let code = bytes.withUnsafeMutableBytes { buffer in
            var filled = cpkcs11_attribute(type: type, value: buffer.baseAddress, length: UInt(buffer.count))
            return table.get_attribute_value(session, object, &filled, 1)
        }
        return code == 0 ? bytes : nil
    }

    // MARK: The use of a key

    /// What a key does.
    enum Use: String, Sendable {
        case encrypt = "C_Encrypt"
        case decrypt = "C_Decrypt"
        case sign = "C_Sign"

        /// The attribute that permits it.
        var permission: String {
            switch self {
            case .encrypt: "CKA_ENCRYPT"
            case .decrypt: "CKA_DECRYPT"
            case .sign: "CKA_SIGN"
            }
        }
    }

    /// Uses a key.
    ///
    /// - Parameters:
    ///   - use: what to do.
    ///   - mechanism: the algorithm.
    ///   - parameter: the initialization vector; empty without one.
    ///   - data: the bytes.
    ///   - key: the key.
    /// - Returns: at most 64 bytes more than the data.
    /// - Throws: ``TokenError``
    func perform(
        _ use: Use, _ mechanism: TokenMechanism, parameter: [UInt8] = [], _ data: SecretValue, with key: TokenKey
    ) async throws(TokenError) -> SecretValue {
        let (session, token) = (handle, token)
        return try await module.run { (functions) throws(TokenError) -> SecretValue in
            let table = functions.table.pointee
            var parameter = parameter
            var code: UInt = parameter.withUnsafeMutableBytes { buffer in
                var algorithm = cpkcs11_mechanism(
                    mechanism: mechanism.rawValue, parameter: buffer.isEmpty ? nil : buffer.baseAddress,
                    parameter_length: UInt(buffer.count))
                return switch use {
                case .encrypt: table.encrypt_init(session, &algorithm, key.object)
                case .decrypt: table.decrypt_init(session, &algorithm, key.object)
                case .sign: table.sign_init(session, &algorithm, key.object)
                }
            }
            guard code == 0 else { throw Self.failure(code, use, mechanism, key: key.name, token: token) }
            // One byte more, so that there is an address also without data.
            let count = data.bytes.count
            let input = SensitiveBytes(count: count + 1) { room in
                data.bytes.withUnsafeBytes { room.copyMemory(from: $0) }
            }
            var length = UInt(count + 64)
            let output = SensitiveBytes(count: count + 64) { room in
                input.withUnsafeBytes { bytes in
                    let result = room.bindMemory(to: UInt8.self).baseAddress
                    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
                    code =
                        switch use {
                        case .encrypt: table.encrypt(session, start, UInt(count), result, &length)
                        case .decrypt: table.decrypt(session, start, UInt(count), result, &length)
                        case .sign: table.sign(session, start, UInt(count), result, &length)
                        }
                }
            }
            guard code == 0 else { throw Self.failure(code, use, mechanism, key: key.name, token: token) }
            return SecretValue(output.part(0..<Int(min(length, UInt(count + 64)))))
        }
    }

    private static func failure(
        _ code: UInt, _ use: Use, _ mechanism: TokenMechanism, key: String, token: String
    ) -> TokenError {
        switch code {
        // CKR_KEY_SIZE_RANGE, CKR_KEY_TYPE_INCONSISTENT, CKR_MECHANISM_INVALID, CKR_MECHANISM_PARAM_INVALID
        case 0x62, 0x63, 0x70, 0x71: return .mechanism(mechanism.name, key: key, token: token)
        // CKR_KEY_FUNCTION_NOT_PERMITTED
        case 0x68: return .notPermitted(use.permission, key: key)
        default: return failure(code, use.rawValue, token: token)
        }
    }

    private static func failure(_ code: UInt, _ function: String, token: String) -> TokenError {
        switch code {
        // CKR_DEVICE_ERROR, CKR_DEVICE_REMOVED, CKR_KEY_HANDLE_INVALID, CKR_OBJECT_HANDLE_INVALID, CKR_SESSION_CLOSED,
        // CKR_SESSION_HANDLE_INVALID, CKR_TOKEN_NOT_PRESENT, CKR_USER_NOT_LOGGED_IN
        case 0x30, 0x32, 0x60, 0x82, 0xB0, 0xB3, 0xE0, 0x101: .removed(token: token)
        default: .failed(function, code: code)
        }
    }
}

/// The algorithms that are used, by their numbers (CKM).
enum TokenMechanism: UInt, Sendable {
    case tripleDESInBlocks = 0x132
    case tripleDESChained = 0x133
    case tripleDESCMAC = 0x138
    case hmacSHA256 = 0x251
    case aesInBlocks = 0x1081
    case aesCMAC = 0x108A

    /// The name of the standard.
    var name: String {
        switch self {
        case .tripleDESInBlocks: "CKM_DES3_ECB"
        case .tripleDESChained: "CKM_DES3_CBC"
        case .tripleDESCMAC: "CKM_DES3_CMAC"
        case .hmacSHA256: "CKM_SHA256_HMAC"
        case .aesInBlocks: "CKM_AES_ECB"
        case .aesCMAC: "CKM_AES_CMAC"
        }
    }
}

extension KeyCheckValue.Cipher {
    /// The cipher of a key type (CKK); nil for one that hosts don't use.
    init?(keyType: UInt) {
        switch keyType {
        // CKK_DES2, CKK_DES3
        case 0x14, 0x15: self = .tripleDES
        // CKK_AES
        case 0x1F: self = .aes
        // CKK_GENERIC_SECRET, CKK_SHA256_HMAC
        case 0x10, 0x2B: self = .hmac
        default: return nil
        }
    }
}
