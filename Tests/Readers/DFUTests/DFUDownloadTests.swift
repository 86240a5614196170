import Determinism
import Testing
import USB

@testable import DFU

/// The bytes that go to a device, and what is made of its answers.
@Suite struct DFUDownloadTests {
    private func machine(_ count: Int = 20, attributes: UInt8 = 0x01) throws -> DFUDownload {
        let interface = USBInterface(
            number: 3, classCode: 0xFE, subclassCode: 1, protocolCode: 2, endpoints: [],
            classDescriptors: [[9, 0x21, attributes, 0, 0, 8, 0, 0x10, 1]])
        let device = USBDevice(
            bus: 1, address: 1, descriptor: USBDeviceDescriptor(vendorID: 1, productID: 2, release: 3),
            configuration: USBConfiguration(value: 1, interfaces: [interface]))
        return DFUDownload(
            (0..<count).map { UInt8(truncatingIfNeeded: $0) }, to: try #require(DFUInterface.find(in: device)))
    }

    private func status(_ state: DFUState, fault: DFUFault? = nil, _ milliseconds: Int = 0) -> DFUStatus {
        DFUStatus(fault: fault, pollTimeout: .milliseconds(milliseconds), state: state)
    }

    private func block(_ action: DFUAction) throws -> USBControlRequest {
        guard case .write(let request) = action else { throw DFUError.unexpectedState(.error) }
        return request
    }

    @Test func `a download consists of blocks in order, an empty one, and a reset`() throws {
        var machine = try machine()
        #expect(machine.first == .ask)
        var sent: [[UInt8]] = []
        var action = try machine.take(status(.idle))
        for number in 0..<3 {
            let request = try block(action)
            #expect(request.requestType == 0x21)
            #expect(request.request == 1)
            #expect(request.value == UInt16(number))
            #expect(request.index == 3)
            sent.append(request.data)
            #expect(machine.progress == Double(number * 8) / 20)
            #expect(try machine.take(status(.downloadBusy, 30)) == .wait(.milliseconds(30)))
            action = try machine.take(status(.downloadIdle))
        }
        #expect(sent.map(\.count) == [8, 8, 4])
        #expect(sent.flatMap(\.self) == (0..<20).map { UInt8($0) })
        #expect(machine.progress == 1)
        let last = try block(action)
        #expect(last.data.isEmpty)
        #expect(last.value == 3)
        #expect(machine.isManifesting)
        #expect(try machine.take(status(.manifestSync)) == .wait(.milliseconds(1)))
        #expect(try machine.take(status(.manifest, 500)) == .wait(.milliseconds(500)))
        #expect(try machine.take(status(.idle)) == .reset)
    }

    @Test func `firmware of whole blocks is followed by the empty one at once`() throws {
        var machine = try machine(8)
        #expect(try block(machine.take(status(.idle))).data.count == 8)
        #expect(try block(machine.take(status(.downloadIdle))).data.isEmpty)
    }

    @Test func `a device that waits for a reset, or no longer responds, is reset`() throws {
        var waiting = try machine(8)
        _ = try waiting.take(status(.idle))
        #expect(waiting.silence() == nil)
        _ = try waiting.take(status(.downloadIdle))
        #expect(try waiting.take(status(.manifestWaitReset)) == .reset)
        #expect(waiting.silence() == .reset)
    }

    @Test func `the state of an earlier attempt is cleared first`() throws {
        var machine = try machine()
        guard case .send(let clear) = try machine.take(status(.error, fault: .firmwareCorrupt)) else {
            Issue.record("the error is not cleared")
            return
        }
        #expect((clear.requestType, clear.request, clear.index) == (0x21, 4, 3))
        for state in [DFUState.downloadIdle, .downloadSync, .manifestSync, .uploadIdle] {
            guard case .send(let abort) = try machine.take(status(state)) else {
                Issue.record("\(state) is not aborted")
                continue
            }
            #expect((abort.requestType, abort.request) == (0x21, 6))
        }
        #expect(try machine.take(status(.downloadBusy, 5)) == .wait(.milliseconds(5)))
        #expect(try block(machine.take(status(.idle))).value == 0)
    }

    @Test func `a device that is complete already is only reset`() throws {
        var machine = try machine()
        #expect(try machine.take(status(.manifestWaitReset)) == .reset)
        #expect(machine.progress == 0)
    }

    @Test func `a device that does not become idle is given up`() throws {
        var machine = try machine()
        #expect(throws: DFUError.noEnd(.error)) {
            for _ in 0..<20 { _ = try machine.take(status(.error)) }
        }
    }

    @Test func `a device that is busy for a minute without progress is given up`() throws {
        var machine = try machine()
        _ = try machine.take(status(.idle))
        #expect(try machine.take(status(.downloadBusy, 59_000)) == .wait(.seconds(59)))
        #expect(throws: DFUError.noEnd(.downloadBusy)) { _ = try machine.take(status(.downloadBusy, 2_000)) }
        // A block that is done begins anew.
        var patient = try self.machine()
        _ = try patient.take(status(.idle))
        for _ in 0..<2 {
            _ = try patient.take(status(.downloadBusy, 50_000))
            _ = try patient.take(status(.downloadIdle))
        }
        var impatient = try self.machine()
        _ = try impatient.take(status(.idle))
        #expect(throws: DFUError.noEnd(.downloadSync)) {
            // One that asks for no pause gets one all the same.
            for _ in 0..<100_000 { _ = try impatient.take(status(.downloadSync)) }
        }
    }

    @Test(arguments: [DFUFault.verify, .write, .wrongTarget, .stalledPacket, .unknown(0x77)])
    func `an error status of the device ends it`(fault: DFUFault) throws {
        var machine = try machine()
        _ = try machine.take(status(.idle))
        #expect(throws: DFUError.refused(fault)) { _ = try machine.take(status(.error, fault: fault)) }
        var late = try self.machine(8)
        _ = try late.take(status(.idle))
        _ = try late.take(status(.downloadIdle))
        #expect(throws: DFUError.refused(fault)) { _ = try late.take(status(.error, fault: fault)) }
    }

    @Test func `an unexpected state ends it`() throws {
        for state in DFUState.allCases {
            var machine = try machine()
            _ = try machine.take(status(.idle))
            guard ![.downloadIdle, .downloadSync, .downloadBusy].contains(state) else { continue }
            #expect(throws: DFUError.unexpectedState(state)) { _ = try machine.take(status(state)) }
        }
        var atWork = try machine()
        #expect(throws: DFUError.unexpectedState(.appIdle)) { _ = try atWork.take(status(.appIdle)) }
    }

    @Test func `block numbers wrap around`() throws {
        var machine = try machine(8 * 65_537)
        var action = try machine.take(status(.idle))
        for number in 0..<65_537 {
            #expect(try block(action).value == UInt16(truncatingIfNeeded: number))
            action = try machine.take(status(.downloadIdle))
        }
        #expect(try block(action).data.isEmpty)
    }

    @Test func `an answer is six bytes, low byte first`() throws {
        let status = try DFUStatus(parsing: [0x07, 0x10, 0x27, 0x00, 10, 0])
        #expect(status == DFUStatus(fault: .verify, pollTimeout: .seconds(10), state: .error))
        #expect(try DFUStatus(parsing: [0, 0, 0, 1, 2, 0, 9]).pollTimeout == .milliseconds(65_536))
        for bytes: [UInt8] in [[], [0, 0, 0, 0, 2], [0, 0, 0, 0, 11, 0]] {
            #expect(throws: DFUError.malformedStatus(bytes)) { _ = try DFUStatus(parsing: bytes) }
        }
    }

    @Test func `no answers make it trap, and it always ends`() throws {
        let random = SeededRandomSource(seed: 0xDF0)
        for _ in 0..<500 {
            var machine = try machine()
            var isOver = false
            for _ in 0..<200_000 where !isOver {
                var bytes = random.bytes(6)
                bytes[4] %= 12
                if bytes[5] & 1 == 0 { bytes[0] = 0 }
                guard let status = try? DFUStatus(parsing: bytes), let action = try? machine.take(status) else {
                    isOver = true
                    continue
                }
                if action == .reset { isOver = true }
                #expect((0...1).contains(machine.progress))
            }
            #expect(isOver)
        }
    }
}
