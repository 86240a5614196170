/// The state of a reader's firmware update.
public enum CardReaderSoftwareUpdateState: Hashable, Sendable {
    /// Nothing to install. The only state of a reader whose driver cannot update it.
    case none
    case available
    /// 0...1
    case installing(progress: Double)
    case completed
    case failed(String)
}
