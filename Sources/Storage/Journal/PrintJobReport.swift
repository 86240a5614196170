/// What somebody has heard of a print job.
public struct PrintJobReport: Hashable, Sendable {
    public let state: PrintJobState
    /// The number that the print server has given the job; nil when it has given none, or none yet.
    public let jobID: Int64?
    /// Keywords of IPP.
    public let reasons: [String]
    /// For people.
    public let message: String?
    /// Whether nothing more can be heard, though the state is not a final one.
    public let isLastWord: Bool
    /// Whether the printer certainly got nothing of a job that failed.
    public let isUnprinted: Bool

    public init(
        _ state: PrintJobState, jobID: Int64? = nil, reasons: [String] = [], message: String? = nil,
        isLastWord: Bool = false, isUnprinted: Bool = false
    ) {
        (self.state, self.jobID, self.reasons, self.message) = (state, jobID, reasons, message)
        (self.isLastWord, self.isUnprinted) = (isLastWord, isUnprinted)
    }
}
