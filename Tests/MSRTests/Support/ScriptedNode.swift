import HID
import Synchronization

/// A node of the kernel's that gives the reports of a test.
final class ScriptedNode: HIDDevice {
    let reportDescriptor: HIDReportDescriptor
    private let reports: AsyncStream<[UInt8]>
    private let inbox: AsyncStream<[UInt8]>.Continuation

    init(_ reportDescriptor: HIDReportDescriptor) {
        self.reportDescriptor = reportDescriptor
        (reports, inbox) = AsyncStream.makeStream()
    }

    func send(_ report: [UInt8]) { inbox.yield(report) }

    func nextReport(timeout: Duration) async throws(HIDError) -> [UInt8] {
        for await report in reports { return report }
        throw .closed
    }

    func close() async { inbox.finish() }
}
