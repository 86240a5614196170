public import Files

/// Why the keys of a PKCS#11 token can't be used. It has no digit of a PIN or a key.
public enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The URI is wrong.
    case uri(TokenURIError)
    /// The library can't be opened, or is none of PKCS#11.
    case module(path: String, reason: String)
    /// No token fits; the names are those of the tokens that are there.
    case noToken(String, found: [String], module: String)
    /// Several tokens fit; the texts are their serial numbers.
    case severalTokens([String])
    /// The token wants a PIN, and the URI names no file with one.
    case needsPIN(token: String)
    /// The file with the PIN is not there.
    case noPINFile(path: String)
    /// The file with the PIN can't be read, or others can.
    case pinFile(FileStorageError)
    /// The file has no PIN.
    case emptyPIN(path: String)
    /// The PIN is wrong. It was tried once. `isLow` says that the token counts, and locks itself soon.
    case wrongPIN(token: String, path: String, isLow: Bool)
    /// One more wrong PIN locks the token, so none was tried.
    case lastTry(token: String)
    /// Too many wrong PINs have locked the token.
    case locked(token: String)
    /// The token has no key of the URI; the labels are those of the keys that are there.
    case noKey(String?, token: String, found: [String])
    /// Two keys have the same label.
    case sameLabel(String, token: String)
    /// The token does not do what the key is needed for.
    case mechanism(String, key: String, token: String)
    /// The object does not permit it; the word is that of PKCS#11.
    case notPermitted(String, key: String)
    /// The token, or the key in it, is gone.
    case removed(token: String)
    /// The library did not answer in time. It is not called any more.
    case timedOut(module: String)
    /// Another failure, by the number of the function's result.
    case failed(String, code: UInt)

    public var description: String {
        switch self {
        case .uri(let error): error.description
        case .module(let path, let reason): "the PKCS#11 library '\(path)' can't be used: \(reason)"
        case .noToken(let wanted, let found, _):
            "there is no token \(wanted)" + (found.isEmpty ? "" : "; there is \(found.joined(separator: ", "))")
        case .severalTokens(let serials): "several tokens fit, with the serials \(serials.joined(separator: ", "))"
        case .needsPIN(let token): "the token '\(token)' wants a PIN"
        case .noPINFile(let path): "there is no file '\(path)' with the PIN of the token"
        case .pinFile(.openToOthers(let path)): "other users have access to the PIN file '\(path)'"
        case .pinFile(.belongsToAnother(let path)): "the PIN file '\(path)' belongs to another user"
        case .pinFile(.notARegularFile(let path)): "the PIN file '\(path)' is a link, a folder, or a device"
        case .pinFile(.tooLong(let path, let limit)): "the PIN file '\(path)' is longer than \(limit) bytes"
        case .pinFile(let error): "\(error)"
        case .emptyPIN(let path): "the file '\(path)' has no PIN"
        case .wrongPIN(let token, _, let isLow):
            "the PIN of the token '\(token)' is wrong; it was tried once"
                + (isLow ? ", and few tries are left before the token locks itself" : "")
        case .lastTry(let token):
            "one more wrong PIN locks the token '\(token)', so none was tried"
        case .locked(let token): "the token '\(token)' is locked after too many wrong PINs"
        case .noKey(let label, let token, let found):
            "the token '\(token)' has no " + (label.map { "key '\($0)'" } ?? "secret keys")
                + (found.isEmpty ? "" : "; it has \(found.joined(separator: ", "))")
        case .sameLabel(let label, let token): "the token '\(token)' has two keys '\(label)'"
        case .mechanism(let name, let key, let token):
            "the token '\(token)' does not offer \(name) with the key '\(key)'"
        case .notPermitted(let use, let key): "the key '\(key)' in the token does not permit it: \(use) is false"
        case .removed(let token): "the token '\(token)' is gone, or its key is"
        case .timedOut(let module): "the PKCS#11 library '\(module)' did not answer in time"
        case .failed(let function, let code): "the token failed at \(function) with 0x" + String(code, radix: 16)
        }
    }

    /// Returns the advice; nil when the message says so. `module` is the path of the PKCS#11 library.
    public func fix(module path: String) -> String? {
        switch self {
        case .uri(let error): error.fix
        case .module: "install the library of the token, such as the package softhsm2, or correct module-path"
        case .noToken(_, _, let module): "run: pkcs11-tool --module \(module) --list-slots, and correct token="
        case .severalTokens: "add serial= to the PKCS#11 URI"
        case .needsPIN: "write the PIN into a file with mode 600, and add pin-source= to the PKCS#11 URI"
        case .noPINFile, .emptyPIN: "write the PIN into the file, and give it mode 600"
        case .pinFile(.openToOthers(let path)): "run: chmod 600 \(path)"
        case .pinFile(.belongsToAnother(let path)): "run: sudo chown \"$USER\" \(path)"
        case .pinFile(.notARegularFile): "give the file itself"
        case .pinFile(.tooLong): "write the PIN alone into the file"
        case .pinFile: nil
        case .wrongPIN(_, let path, _): "correct the PIN in \(path) before the next try: each one counts"
        case .lastTry: "correct the PIN, and log in once by hand: pkcs11-tool --module \(path) --login --list-objects"
        case .locked: "unlock it with the PIN of its security officer: pkcs11-tool --module \(path) --init-pin --login"
        case .noKey: "run: pkcs11-tool --module \(path) --login --list-objects --type secrkey, and correct the label"
        case .sameLabel: "give one of them another label, or delete it: pkcs11-tool --module \(path) --delete-object"
        case .mechanism(let name, _, _):
            "run: pkcs11-tool --module \(path) --list-mechanisms; without \(name), use another MAC or a key file"
        case .notPermitted:
            "make the key again with that use, for example pkcs11-tool --module \(path) --keygen --usage-decrypt"
        case .removed: "put the token back, and start again"
        case .timedOut: "check the token and its connection, and start again"
        case .failed: nil
        }
    }
}
