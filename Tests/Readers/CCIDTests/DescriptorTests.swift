import CCID
import Testing
import USB

@Suite struct DescriptorTests {
    @Test func `QEMU's descriptor is parsed field by field`() throws {
        let descriptor = try CCIDClassDescriptor(bytes: Rig.qemuDescriptor)
        #expect(descriptor.release == 0x0110)
        #expect(descriptor.maximumSlotIndex == 0)
        #expect(descriptor.voltages == [.volts5, .volts3, .volts1_8])
        #expect(descriptor.protocols == .t0)
        #expect(descriptor.defaultClock == 4_000)
        #expect(descriptor.maximumClock == 0)
        #expect(descriptor.clockCount == 1)
        #expect(descriptor.defaultDataRate == 9_600)
        #expect(descriptor.maximumDataRate == 115_200)
        #expect(descriptor.maximumIFSD == 254)
        #expect(descriptor.rawFeatures == 0x104FE)
        #expect(descriptor.level == .tpdu)
        #expect(
            descriptor.features == [
                .automaticParameters, .automaticActivation, .automaticVoltage, .automaticClock, .automaticDataRate,
                .automaticNegotiation, .automaticPPS, .automaticIFSD,
            ])
        #expect(descriptor.maximumMessageLength == 65_554)
        #expect(descriptor.pinSupport == .verification)
        #expect(descriptor.maximumBusySlots == 1)
        #expect(descriptor.bytes == Rig.qemuDescriptor)
    }

    @Test func `the level follows from the features; of several the highest is used`() {
        #expect(CCIDExchangeLevel(features: 0x0400) == .character)
        #expect(CCIDExchangeLevel(features: 0x1_0400) == .tpdu)
        #expect(CCIDExchangeLevel(features: 0x2_0040) == .shortAPDU)
        #expect(CCIDExchangeLevel(features: 0x4_0000) == .extendedAPDU)
        #expect(CCIDExchangeLevel(features: 0x6_0000) == .extendedAPDU)
    }

    @Test(arguments: [(0, 271), (263, 271), (271, 271), (4_096, 4_096), (65_554, 65_554), (0xFFFF_FFFF, 65_554)])
    func `the message length is limited, whatever the descriptor says`(claimed: UInt32, usable: Int) {
        var descriptor = CCIDClassDescriptor(level: .extendedAPDU)
        descriptor.maximumMessageLength = claimed
        #expect(descriptor.usableMessageLength == usable)
    }

    @Test(arguments: [(0, 32), (1, 1), (254, 254), (255, 254), (0xFFFF_FFFF, 254)])
    func `the information field size is limited, whatever the descriptor says`(claimed: UInt32, usable: UInt8) {
        var descriptor = CCIDClassDescriptor(level: .tpdu)
        descriptor.maximumIFSD = claimed
        #expect(descriptor.usableIFSD == usable)
    }

    @Test func `an invalid descriptor is rejected with the reason`() {
        #expect(throws: CCIDDescriptorError.wrongLength(53)) {
            try CCIDClassDescriptor(bytes: Array(Rig.qemuDescriptor.dropLast()))
        }
        var wrongLength = Rig.qemuDescriptor
        wrongLength[0] = 0x35
        #expect(throws: CCIDDescriptorError.inconsistentLength(claimed: 0x35, actual: 54)) {
            try CCIDClassDescriptor(bytes: wrongLength)
        }
        var wrongType = Rig.qemuDescriptor
        wrongType[1] = 0x22
        #expect(throws: CCIDDescriptorError.wrongType(0x22)) { try CCIDClassDescriptor(bytes: wrongType) }
    }

    @Test func `parsing any bytes as a descriptor ends, and the result survives a round trip`() {
        var dice = Dice(state: 1)
        for bytes in dice.mutations(of: Rig.qemuDescriptor, count: 2_000) {
            guard let descriptor = try? CCIDClassDescriptor(bytes: bytes) else { continue }
            #expect(descriptor.bytes == bytes)
            #expect((271...65_554).contains(descriptor.usableMessageLength))
            #expect((1...254).contains(descriptor.usableIFSD))
        }
    }

    @Test func `the reader's interface is found among others with its endpoints`() throws {
        var device = Rig.device(Rig.qemuDescriptor, interrupt: true)
        let keyboard = USBInterface(number: 0, classCode: 0x03, endpoints: [])
        var ccid = try #require(device.configuration?.interfaces.first)
        ccid.number = 1
        device.configuration?.interfaces = [keyboard, ccid]
        let found = try CCIDInterface.all(in: device)
        #expect(found.map(\.number) == [1])
        #expect(found.first?.bulkOut.address == 0x03)
        #expect(found.first?.bulkIn.address == 0x82)
        #expect(found.first?.interrupt?.address == 0x81)
    }

    @Test func `a device without a usable interface is rejected with the reason`() throws {
        let good = Rig.device(Rig.qemuDescriptor)
        func error(_ change: (inout USBInterface) -> Void) -> CCIDDescriptorError? {
            var device = good
            change(&device.configuration!.interfaces[0])
            do throws(CCIDDescriptorError) {
                _ = try CCIDInterface.all(in: device)
                return nil
            } catch {
                return error
            }
        }
        #expect(error { $0.classCode = 0x03 } == .noInterface)
        #expect(error { $0.protocolCode = 0x01 } == .noInterface)
        #expect(error { $0.classDescriptors = [] } == .noClassDescriptor(interface: 0))
        #expect(error { $0.classDescriptors = [[0x02, 0x21]] } == .wrongLength(2))
        #expect(error { $0.endpoints.removeAll { $0.isInput } } == .noBulkIn(interface: 0))
        #expect(error { $0.endpoints.removeAll { !$0.isInput } } == .noBulkOut(interface: 0))
        var unread = good
        unread.configuration = nil
        #expect(throws: CCIDDescriptorError.noInterface) { try CCIDInterface.all(in: unread) }
    }

    @Test func `a device with a reader for each slot lists them all, except broken ones`() throws {
        var device = Rig.device(Rig.qemuDescriptor)
        var second = try #require(device.configuration?.interfaces.first)
        second.number = 1
        var broken = second
        broken.number = 2
        broken.classDescriptors = [[0x36, 0x21]]
        device.configuration?.interfaces += [second, broken]
        #expect(try CCIDInterface.all(in: device).map(\.number) == [0, 1])
    }
}
