/// Whether a fee is taxed.
public enum OrderFeeTaxStatus: Codable, Hashable, Sendable, RawRepresentable {
    case taxable, none
    case other(String)

    public init(rawValue: String) {
        switch rawValue {
        case "taxable": self = .taxable
        case "none": self = .none
        default: self = .other(rawValue)
        }
    }

    public var rawValue: String {
        switch self {
        case .taxable: "taxable"
        case .none: "none"
        case .other(let word): word
        }
    }
}
