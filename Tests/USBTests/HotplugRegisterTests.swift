import Testing

@testable import USB

@Suite struct HotplugRegisterTests {
    private func device(_ address: UInt8, product: UInt16 = 1) -> USBDevice {
        USBDevice(
            bus: 1, address: address, descriptor: USBDeviceDescriptor(vendorID: 1, productID: product, release: 1),
            configuration: nil)
    }

    @Test func `what was there before does not arrive, and nothing arrives or leaves twice`() {
        var register = HotplugRegister([device(1)])
        #expect(register.update([device(1)], at: .zero) { _ in true } == [])
        #expect(register.update([device(1), device(2)], at: .zero) { _ in true } == [.arrived(device(2))])
        #expect(register.update([device(2), device(1)], at: .zero) { _ in true } == [])
        #expect(register.update([device(2)], at: .zero) { _ in true } == [.left(device(1))])
        #expect(register.update([device(2)], at: .zero) { _ in true } == [])
    }

    @Test func `a device plugged in again between two looks leaves and arrives, in this order`() {
        var register = HotplugRegister([device(1)])
        #expect(register.update([device(2)], at: .zero) { _ in true } == [.left(device(1)), .arrived(device(2))])
    }

    @Test func `another device at the same address leaves and arrives`() {
        var register = HotplugRegister([device(1)])
        let other = device(1, product: 2)
        #expect(register.update([other], at: .zero) { _ in true } == [.left(device(1)), .arrived(other)])
    }

    @Test func `a string that can be read only later makes no new device`() {
        var register = HotplugRegister([device(1)])
        var named = device(1)
        named.product = "Reader"
        #expect(register.update([named], at: .zero) { _ in true } == [])
    }

    @Test func `a device that is not ready is reported when it is, or when it took too long`() {
        var register = HotplugRegister([])
        let both = [device(1), device(2)]
        #expect(register.update(both, at: .seconds(5)) { _ in false } == [])
        #expect(register.isWaiting)
        #expect(register.update(both, at: .milliseconds(5999)) { $0.address == 1 } == [.arrived(device(1))])
        #expect(register.isWaiting)
        #expect(register.update(both, at: .seconds(6)) { _ in false } == [.arrived(device(2))])
        #expect(!register.isWaiting)
        #expect(register.update(both, at: .seconds(7)) { _ in false } == [])
    }

    @Test func `the patience with a device begins anew when it comes again`() {
        var register = HotplugRegister([])
        #expect(register.update([device(1)], at: .zero) { _ in false } == [])
        #expect(register.update([], at: .milliseconds(900)) { _ in false } == [])
        #expect(register.update([device(1)], at: .milliseconds(1100)) { _ in false } == [])
    }

    @Test func `a device that goes before it was reported was never there`() {
        var register = HotplugRegister([])
        #expect(register.update([device(1)], at: .zero) { _ in false } == [])
        #expect(register.update([], at: .zero) { _ in false } == [])
        #expect(!register.isWaiting)
    }

    @Test(arguments: [true, false])
    func `a device that gets its configuration late arrives when it has it, once`(wasThereBefore: Bool) throws {
        var register = HotplugRegister(wasThereBefore ? [device(1)] : [])
        if !wasThereBefore {
            #expect(register.update([device(1)], at: .zero) { _ in false } == [])
            #expect(register.update([device(1)], at: .seconds(2)) { _ in false } == [.arrived(device(1))])
        }
        var configured = device(1)
        configured.configuration = USBConfiguration(value: 1, interfaces: [])
        #expect(register.update([configured], at: .seconds(5)) { _ in false } == [])
        #expect(register.update([configured], at: .seconds(5)) { _ in true } == [.arrived(configured)])
        #expect(register.update([configured], at: .seconds(9)) { _ in true } == [])
        // A configuration that cannot be read for a moment is no departure.
        #expect(register.update([device(1)], at: .seconds(9)) { _ in true } == [])
        #expect(register.update([], at: .seconds(9)) { _ in true } == [.left(configured)])
    }
}
