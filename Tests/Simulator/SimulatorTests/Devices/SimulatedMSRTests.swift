import Determinism
import SimulatedTime
import Testing
import USB

@testable import Simulator

/// What a simulated magnetic stripe reader puts on the wire.
@Suite(.simulatedTime) struct SimulatedMSRTests {
    private let clock = SimulationClock(VirtualTimeSource())

    private func stripe(_ name: String = "stripe-only", _ change: (inout MagneticStripeProfile) -> Void = { _ in })
        throws
        -> SimulatedMagneticStripe
    {
        var profile = try #require(try CardProfileLibrary.profile(name).stripe)
        change(&profile)
        return try SimulatedMagneticStripe(profile, keys: TestKeys.embedded())
    }

    private func reports(_ model: SimulatedMSRModel, _ stripe: SimulatedMagneticStripe) -> [[UInt8]] {
        let reader = SimulatedMagneticStripeReader(model: model, clock: clock)
        reader.plugged {}
        reader.swipe(stripe)
        var reports: [[UInt8]] = []
        while case .data(let report) = reader.read(endpoint: 0x81, maximumLength: 512) { reports.append(report) }
        return reports
    }

    @Test func `the vendor's report has 337 bytes, with lengths and ASCII at their offsets`() throws {
        let report = try #require(reports(.fixedReport, try stripe()).first)
        #expect(report.count == 337)
        #expect(report.prefix(3) == [0, 0, 0])
        #expect(report[7] == UInt8(ascii: "%") && report[117] == UInt8(ascii: ";"))
        #expect(report[7 + Int(report[3]) - 1] == UInt8(ascii: "?"))
        #expect(report[117 + Int(report[4]) - 1] == UInt8(ascii: "?"))
        #expect(report[5] == 0)
    }

    @Test func `the standard report starts with its ID`() throws {
        let report = try #require(reports(.pointOfSale, try stripe { $0.tracks = [3] }).first)
        #expect(report.count == 1 + 3 + 79 + 40 + 107)
        #expect(report[0] == 1)
        #expect(report[1...2] == [0, 0])
        #expect(report[4 + 79 + 40] == UInt8(ascii: ";"))
    }

    @Test func `a keyboard presses and releases a key for every character, and Enter`() throws {
        let typed = reports(.keyboard, try stripe { $0.tracks = [2] })
        #expect(typed.count % 2 == 0)
        #expect(typed.first == [0, 0, 0x33, 0, 0, 0, 0, 0])
        #expect(typed.dropLast().last == [0, 0, 0x28, 0, 0, 0, 0, 0])
        for index in stride(from: 1, to: typed.count, by: 2) {
            #expect(typed[index] == [UInt8](repeating: 0, count: 8))
        }
        // A question mark is typed with shift.
        #expect(typed[typed.count - 4] == [2, 0, 0x38, 0, 0, 0, 0, 0])
    }

    @Test(arguments: [MagneticStripeFault.redundancy, .scratched])
    func `a track that cannot be decoded is reported without its characters`(fault: MagneticStripeFault) throws {
        let bad = try stripe { $0.fault = fault }
        let report = try #require(reports(.fixedReport, bad).first)
        #expect(report.prefix(7) == [1, 1, 0, 0, 0, 0, 0])
        #expect(report.dropFirst(7).allSatisfy { $0 == 0 })
        #expect(reports(.keyboard, bad).count == (6 + 1) * 2)
        #expect(reports(.pointOfSale, bad).first?.dropFirst().allSatisfy { $0 == 0 } == true)
    }

    @Test func `a reader that enciphers reveals no character of the card`() throws {
        let clear = try #require(reports(.fixedReport, try stripe()).first)
        let report = try #require(reports(.encrypted, try stripe()).first)
        #expect(report[3] == clear[3])
        #expect(report[7..<20] != clear[7..<20])
        #expect(report.count == 7 + 3 * 112 + 12)
    }

    @Test(arguments: SimulatedMSRModel.all)
    func `the descriptors are consistent, and class requests are answered`(model: SimulatedMSRModel) throws {
        let reader = SimulatedMagneticStripeReader(model: model, clock: clock)
        let bytes = try #require(
            reader.control(.input(type: 0x01, request: 0x06, value: 0x2200, index: 0, length: 1024)))
        let interface = try #require(model.descriptors.configuration.interfaces.first)
        let hid = try #require(interface.classDescriptors.first)
        #expect(Int(hid[7]) | Int(hid[8]) << 8 == bytes.count)
        #expect(interface.kernelHID?.reportDescriptor == bytes)
        #expect(reader.control(.input(type: 0x01, request: 0x06, value: 0x2100, index: 0, length: 9)) == hid)
        #expect(reader.control(.output(type: 0x21, request: 0x0A, value: 0, index: 0, data: [])) == [])
        #expect(
            (reader.control(.output(type: 0x21, request: 0x0B, value: 0, index: 0, data: [])) == [])
                == (model.kind == .keyboard))
        #expect(reader.control(.input(type: 0x01, request: 0x06, value: 0x2200, index: 1, length: 9)) == nil)
        #expect(!reader.write([1], endpoint: 0x01))
        #expect(reader.read(endpoint: 0x82, maximumLength: 8) == .stall)
    }

    @Test func `without power nothing is read, and a pending swipe is lost`() throws {
        let reader = SimulatedMagneticStripeReader(model: .pointOfSale, clock: clock)
        reader.swipe(try stripe())
        #expect(!reader.hasInput(endpoint: 0x81))
        reader.plugged {}
        reader.swipe(try stripe())
        #expect(reader.read(endpoint: 0x81, maximumLength: 8) == .overflow)
        reader.swipe(try stripe())
        reader.unplugged()
        #expect(!reader.hasInput(endpoint: 0x81))
    }
}
