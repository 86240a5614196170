import Testing
import USB

@testable import DFU

@Suite struct DFUInterfaceTests {
    private func device(_ interfaces: USBInterface...) -> USBDevice {
        USBDevice(
            bus: 1, address: 1, descriptor: USBDeviceDescriptor(vendorID: 1, productID: 2, release: 3),
            configuration: USBConfiguration(value: 1, interfaces: interfaces))
    }

    private func interface(
        _ number: UInt8 = 0, protocolCode: UInt8 = 1, setting: UInt8 = 0,
        descriptor: [UInt8] = [9, 0x21, 0x0D, 0xE8, 0x03, 0x00, 0x04, 0x10, 0x01]
    ) -> USBInterface {
        USBInterface(
            number: number, alternateSetting: setting, classCode: 0xFE, subclassCode: 1, protocolCode: protocolCode,
            endpoints: [], classDescriptors: [descriptor])
    }

    @Test func `a working device describes its update interface`() throws {
        let reader = USBInterface(number: 0, classCode: 0x0B, endpoints: [])
        let found = try #require(DFUInterface.find(in: device(reader, interface(1))))
        #expect(found.number == 1)
        #expect(found.mode == .runtime)
        #expect(found.canDownload)
        #expect(found.survivesManifestation)
        #expect(found.detachesItself)
        #expect(found.detachTimeout == .seconds(1))
        #expect(found.transferSize == 1024)
    }

    @Test func `in update mode the first alternate setting counts`() throws {
        let found = try #require(
            DFUInterface.find(
                in: device(
                    interface(protocolCode: 2, setting: 1, descriptor: [9, 0x21, 0, 0, 0, 0, 2, 0x10, 1]),
                    interface(protocolCode: 2, descriptor: [7, 0x21, 0x01, 0, 0, 64, 0]))))
        #expect(found.mode == .update)
        #expect(found.transferSize == 64)
        #expect(!found.survivesManifestation)
        #expect(!found.detachesItself)
    }

    @Test(arguments: [(0, 8), (3, 8), (8, 8), (4096, 4096), (0xFFFF, 4096)] as [(UInt16, Int)])
    func `an invalid transfer size is replaced by a valid one`(stated: UInt16, used: Int) throws {
        let size = [UInt8(stated & 0xFF), UInt8(stated >> 8)]
        let found = DFUInterface.find(in: device(interface(descriptor: [9, 0x21, 1, 0, 0] + size + [0x10, 1])))
        #expect(found?.transferSize == used)
    }

    @Test func `other devices, and those without a configuration, have no update interface`() {
        var smart = interface()
        smart.subclassCode = 2
        #expect(DFUInterface.find(in: device(smart)) == nil)
        #expect(DFUInterface.find(in: device(interface(protocolCode: 3))) == nil)
        #expect(DFUInterface.find(in: device(interface(descriptor: [6, 0x21, 1, 0, 0, 64]))) == nil)
        #expect(DFUInterface.find(in: device(interface(descriptor: [9, 0x22, 1, 0, 0, 64, 0, 0, 0]))) == nil)
        var bare = device()
        bare.configuration = nil
        #expect(DFUInterface.find(in: bare) == nil)
    }
}
