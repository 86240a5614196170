import CCID
import Testing
import USB

extension GuestTests {
    @Suite struct DescriptorTests {
        @Test func `the kernel's list shows the reader and what it says of itself`() async throws {
            try await ReaderUnderTest.prepare()
            let device = try await ReaderUnderTest.device(on: LibUSBBus())
            #expect(device.product == "QEMU USB CCID")
            let interfaces = try CCIDInterface.all(in: device)
            #expect(interfaces.count == 1)
            let interface = try #require(interfaces.first)
            #expect(interface.interrupt?.address == 0x81)
            #expect(interface.bulkIn.address == 0x82)
            #expect(interface.bulkOut.address == 0x03)
            #expect(interface.bulkIn.maximumPacketSize == 64)
            #expect(interface.descriptor.level == .tpdu)
            #expect(interface.descriptor.protocols == .t0)
            #expect(interface.descriptor.maximumSlotIndex == 0)
        }
    }
}
