import Settings
import Text

/// Where keys are that a PKCS#11 token keeps (RFC 7512), for example
/// `pkcs11:token=till?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=/etc/cardpresent/token.pin`.
///
/// The keys have the labels of the token's objects. A PIN in the text itself is refused, because configurations and
/// command lines are read by others.
public struct TokenURI: Hashable, Sendable {
    /// The PKCS#11 library, an absolute path.
    public let module: String
    /// The file with the PIN, an absolute path; nil for a token without a PIN.
    public let pinSource: String?
    /// What the token is called; nil for any.
    public let token: String?
    public let serial: String?
    public let manufacturer: String?
    public let model: String?
    /// The only key to use; nil for all of the token.
    public let object: String?

    /// Whether a text is meant to be a URI of a token.
    public static func names(_ text: String) -> Bool { text.lowercased().hasPrefix(scheme) }

    private static let scheme = "pkcs11:"
    private static let path = ["token", "serial", "manufacturer", "model", "object", "type"]
    private static let query = ["module-path", "pin-source"]

    /// - Throws: ``TokenURIError``, which has no value of the text.
    public init(_ text: String) throws(TokenURIError) {
        guard Self.names(text) else { throw .noURI }
        let parts = text.dropFirst(Self.scheme.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var values = try Self.attributes(parts.first ?? "", separator: ";", Self.path)
        if parts.count == 2 { values.merge(try Self.attributes(parts[1], separator: "&", Self.query)) { $1 } }
        guard let module = values["module-path"] else { throw .noModule }
        guard module.hasPrefix("/") else { throw .relative("module-path") }
        if let type = values["type"], type != "secret-key" { throw .wrongType }
        var source = values["pin-source"]
        if let text = source, text.hasPrefix("file:") {
            let rest = text.dropFirst(5)
            source = String(rest.hasPrefix("//") ? rest.dropFirst(2) : rest)
        }
        if let source, !source.hasPrefix("/") { throw .relative("pin-source") }
        (self.module, pinSource) = (module, source)
        (token, serial) = (values["token"], values["serial"])
        (manufacturer, model, object) = (values["manufacturer"], values["model"], values["object"])
    }

    private static func attributes(
        _ text: Substring, separator: Character, _ known: [String]
    ) throws(TokenURIError) -> [String: String] {
        var values: [String: String] = [:]
        for part in text.split(separator: separator) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw .noValue }
            let name = String(pair[0])
            guard name != "pin-value" else { throw .pinValue }
            guard known.contains(name) else {
                throw .unknown(name, nearest: (path + query).contains(name) ? nil : NearestName.to(name, among: known))
            }
            guard values[name] == nil else { throw .twice(name) }
            let value = PercentEncoding.decode(pair[1], plusIsSpace: false)
            guard !value.isEmpty else { throw .noValue }
            values[name] = value
        }
        return values
    }
}

/// Why a text is no URI of a token. It has no value of it, which may be a PIN.
public enum TokenURIError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text does not begin with `pkcs11:`.
    case noURI
    /// The text has a PIN.
    case pinValue
    case noModule
    /// An attribute has a path that is not absolute.
    case relative(String)
    /// The attribute `type` is not `secret-key`.
    case wrongType
    /// An attribute without a value.
    case noValue
    case twice(String)
    /// An attribute that is not known, or not at this place.
    case unknown(String, nearest: String?)

    public var description: String {
        switch self {
        case .noURI: "a PKCS#11 URI begins with pkcs11:"
        case .pinValue: "the PKCS#11 URI has a PIN, which others could read here"
        case .noModule: "the PKCS#11 URI has no module-path"
        case .relative(let name): "the \(name) of the PKCS#11 URI is no absolute path"
        case .wrongType: "the type of the PKCS#11 URI is not secret-key"
        case .noValue: "the PKCS#11 URI has an attribute without a value"
        case .twice(let name): "the PKCS#11 URI has \(name.prefix(40)) twice"
        case .unknown(let name, _): "the PKCS#11 URI has the attribute '\(name.prefix(40))', which is unknown there"
        }
    }

    /// The advice.
    public var fix: String {
        switch self {
        case .pinValue: "write the PIN into a file of your own with mode 600, and name it: ?pin-source=/run/till.pin"
        case .noModule, .relative("module-path"):
            "add ?module-path= with the path of the library, such as /usr/lib/softhsm/libsofthsm2.so"
        case .unknown(_, let nearest?): "did you mean '\(nearest)'?"
        case .unknown(_, nil):
            "write token, serial, manufacturer, model, and object before the question mark, and module-path and "
                + "pin-source behind it"
        case .relative: "write the whole path"
        case .noURI, .wrongType, .noValue, .twice:
            "write it as pkcs11:token=till?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=/run/till.pin"
        }
    }
}
