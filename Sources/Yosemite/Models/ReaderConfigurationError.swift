internal import Networking

/// What a store has to put right before its payment gateway knows a place for readers.
public enum ReaderConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store's address lacks something; it is completed on the page named, if the gateway named one.
    case incompleteStoreAddress(adminURL: String?)
    case invalidPostalCode

    public var description: String {
        switch self {
        case .incompleteStoreAddress(let url):
            "the store's address is not complete: complete it " + (url.map { "at \($0)" } ?? "in the store's settings")
        case .invalidPostalCode: "the postal code of the store's address is not valid: mend it in the store's settings"
        }
    }

    /// Nil when the gateway said something else.
    init?(_ error: NetworkError) {
        guard case .service(let service) = error else { return nil }
        switch service.code {
        case "store_address_is_incomplete":
            self = .incompleteStoreAddress(adminURL: service.message.flatMap(Self.address))
        case "postal_code_invalid": self = .invalidPostalCode
        default: return nil
        }
    }

    /// The first address in a sentence, without what ends the sentence.
    private static func address(in sentence: String) -> String? {
        let word = sentence.split { $0.isWhitespace || $0 == "\"" || $0 == "<" || $0 == ">" }
            .first { $0.hasPrefix("https://") || $0.hasPrefix("http://") }
        guard var word else { return nil }
        while let last = word.last, ".,;:!)'".contains(last) { word.removeLast() }
        return (try? WebAddress(String(word))) == nil ? nil : String(word)
    }
}
