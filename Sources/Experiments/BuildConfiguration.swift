/// What the program was built for.
public enum BuildConfiguration: String, Hashable, Sendable, CaseIterable {
    case development
    case release

    /// This program's.
    public static var current: BuildConfiguration {
        #if DEBUG
        .development
        #else
        .release
        #endif
    }
}
