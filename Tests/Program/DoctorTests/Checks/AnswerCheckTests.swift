import CCID
import Determinism
import Doctor
import SimulatedTime
import Simulator
import Testing
import USB

@Suite(.simulatedTime) struct AnswerCheckTests {
    private let clock = SimulationClock()
    private let bus: SimulatedUSBBus

    init() { bus = SimulatedUSBBus(clock: clock) }

    private func findings(_ other: Result<any USBBus, USBError>? = nil) async -> [Finding] {
        await AnswerCheck(bus: other ?? .success(bus), time: clock).findings()
    }

    @Test func `without a reader no check is made`() async {
        #expect(await findings() == [.skipped("no card reader is connected")])
    }

    @Test func `a reader that responds passes`() async {
        bus.plug(SimulatedCCIDReader(model: .tpdu, clock: clock))
        let told = await findings()
        #expect(told.verdicts == [.ok])
        #expect(told.first?.subject == "1209:0001@1-1 Simulated TPDU reader")
        #expect(told.first?.seen.hasPrefix("responds, card absent") == true)
    }

    @Test func `a silent reader counts as dead after the driver's timeout`() async {
        let reader = MuteReader()
        let begin = clock.reading()
        let told = await findings(.success(reader))
        #expect(told.verdicts == [.problem])
        #expect(told.first?.trouble == .reader)
        #expect(told.first?.seen.hasPrefix("does not respond: ") == true)
        #expect(clock.elapsed(since: begin) < .seconds(60))
    }

    @Test(arguments: [USBError.accessDenied, .busy])
    func `a reader that cannot be opened is left to another check`(error: USBError) async {
        let reader = MuteReader(failure: error)
        #expect(await findings(.success(reader)).verdicts == [.skipped])
    }

    @Test func `a reader with defective firmware is reported with the fix`() async {
        let table = ReaderQuirkTable(rules: [
            ReaderQuirkRule(
                "it", vendorID: 0x1209, productID: 0x0001, [.refusedFirmware(fix: "get version 2")], source: "a test")
        ])
        bus.plug(SimulatedCCIDReader(model: .tpdu, clock: clock))
        let told = await AnswerCheck(bus: .success(bus), quirks: table, time: clock).findings()
        #expect(told.verdicts == [.problem])
        #expect(told.fixes == ["get version 2"])
    }

    @Test func `a bus that cannot be read is a problem`() async {
        let told = await findings(.failure(.other("libusb is broken")))
        #expect(told.verdicts == [.problem])
        #expect(told.first?.seen == "cannot list the USB devices: libusb is broken")
    }
}

/// A bus with one reader on it, whose every transfer ends at its deadline.
private final class MuteReader: USBBus, USBTransport {
    let device: USBDevice
    private let failure: USBError?

    init(failure: USBError? = nil) {
        let bus = SimulatedUSBBus()
        device = bus.plug(SimulatedCCIDReader(model: .tpdu, clock: bus.clock))
        self.failure = failure
    }

    func devices() async throws(USBError) -> [USBDevice] { [device] }
    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { AsyncStream { $0.finish() } }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        if let failure { throw failure }
        return self
    }

    func claim(interface: UInt8) async throws(USBError) {}
    func release(interface: UInt8) async throws(USBError) {}
    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {}

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        throw .timedOut
    }

    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        throw .timedOut
    }

    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] { [] }
    func clearHalt(endpoint: UInt8) async throws(USBError) {}
    func reset() async throws(USBError) {}
    func close() async {}
}
