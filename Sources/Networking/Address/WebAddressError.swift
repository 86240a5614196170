/// Why a text is not an address that can be asked.
public enum WebAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No `scheme://`.
    case notAbsolute(String)
    /// Neither `http` nor `https`.
    case unsupportedScheme(String)
    /// A user or a password before the host. The address is not repeated here, because it holds a secret.
    case carriesCredentials
    case badHost(String)
    case badPort(String)
    /// A space, a control character, or one of `"<>\^{|}` and the grave accent.
    case forbiddenCharacter(String)

    public var description: String {
        switch self {
        case .notAbsolute(let text):
            "'\(Printable.text(text))' is not an address: write it with its scheme, such as https://shop.example"
        case .unsupportedScheme(let text): "'\(Printable.text(text))' is neither an http nor an https address"
        case .carriesCredentials: "the address holds a user name or a password: give them apart from it"
        case .badHost(let text):
            "'\(Printable.text(text))' has no valid host: write letters outside ASCII in their xn-- form"
        case .badPort(let text): "'\(Printable.text(text))' has no valid port: it is a number from 1 to 65535"
        case .forbiddenCharacter(let text):
            "'\(Printable.text(text))' holds a character that may not stand in an address"
        }
    }
}
