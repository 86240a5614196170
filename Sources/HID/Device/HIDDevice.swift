/// An open HID device: its report descriptor, and the reports that it sends.
public protocol HIDDevice: Sendable {
    /// The layout of its reports.
    var reportDescriptor: HIDReportDescriptor { get }

    /// Waits for the next input report. One call at a time.
    ///
    /// - Parameter timeout: the longest wait.
    /// - Returns: the report, with its number in front when the device numbers its reports.
    /// - Throws: ``HIDError``
    func nextReport(timeout: Duration) async throws(HIDError) -> [UInt8]

    /// Ends a wait and gives the device back. May be called more than once and from any task.
    func close() async
}
