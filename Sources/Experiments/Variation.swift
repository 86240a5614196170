/// Which way of doing something a till was given in an experiment.
public enum Variation: Hashable, Sendable {
    /// As ever.
    case control
    /// The other way.
    case treatment
    /// One of several other ways.
    case customTreatment(name: String)

    /// The word for it, by which it is kept.
    public var name: String {
        switch self {
        case .control: "control"
        case .treatment: "treatment"
        case .customTreatment(let name): name
        }
    }

    public init(name: String) {
        self =
            switch name {
            case "control": .control
            case "treatment": .treatment
            default: .customTreatment(name: name)
            }
    }
}
