/// An experiment: tills do something in different ways, and each keeps to its own.
public enum ABTest: String, Hashable, Sendable, CaseIterable {
    /// How many requests to the store are on their way at the same time: four, or eight.
    case requestConcurrency

    /// In which tills it runs.
    public enum Context: Hashable, Sendable {
        case loggedOut
        case loggedIn
    }

    public var context: Context {
        switch self {
        case .requestConcurrency: .loggedIn
        }
    }

    /// What tills are given, each equally often.
    public var variations: [Variation] {
        switch self {
        case .requestConcurrency: [.control, .treatment]
        }
    }

    public var summary: String {
        switch self {
        case .requestConcurrency: "how many requests to the store are on their way at the same time"
        }
    }
}
