/// How a magnetic stripe reader delivers a swipe.
public enum MSRFormat: Hashable, Sendable {
    /// One report holds the tracks, in fields with these usages.
    case tracks(MSRUsages)
    /// It types them, as a keyboard.
    case keyboard
}
