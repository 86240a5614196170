/// What does not work while a problem lasts.
public enum Trouble: String, Hashable, Sendable, CaseIterable {
    /// The card reader.
    case reader
    /// Printing.
    case printer
    /// A file that the program reads is not what it should be.
    case data
    /// Something of the machine's that everything needs.
    case machine
    /// Something that another program is working on; it may be free a moment later.
    case busy
    /// The till's configuration.
    case configuration
}
