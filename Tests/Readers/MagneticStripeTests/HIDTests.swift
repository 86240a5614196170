import Glibc
import Testing
import USB

@testable import MagneticStripe

@Suite struct HIDInterfaceTests {
    private func device(_ interfaces: [USBInterface]) -> USBDevice {
        USBDevice(
            bus: 1, address: 2, descriptor: USBDeviceDescriptor(vendorID: 0x1209, productID: 1, release: 0x100),
            configuration: USBConfiguration(value: 1, interfaces: interfaces))
    }

    private let input = USBEndpoint(address: 0x81, kind: .interrupt, maximumPacketSize: 8, interval: 8)
    private let descriptor: [UInt8] = [0x09, 0x21, 0x11, 0x01, 0x00, 0x01, 0x22, 0x3F, 0x01]

    @Test func `an interface has an input endpoint and a report descriptor`() throws {
        let found = HIDInterface.all(
            in: device([
                USBInterface(
                    number: 1, classCode: 3, subclassCode: 1, protocolCode: 1, endpoints: [input],
                    classDescriptors: [descriptor], kernelHID: KernelHID(reportDescriptor: [1], node: "hidraw3"))
            ]))
        let interface = try #require(found.first)
        #expect(interface.number == 1)
        #expect(interface.reportDescriptorLength == 0x013F)
        #expect(interface.isBootKeyboard)
        #expect(interface.kernel?.node == "hidraw3")
        #expect(interface.input == input)
    }

    @Test func `a device without an input endpoint is none`() {
        let output = USBEndpoint(address: 0x01, kind: .interrupt, maximumPacketSize: 8)
        let candidates = [
            USBInterface(number: 0, classCode: 0x0B, endpoints: [input], classDescriptors: [descriptor]),
            USBInterface(number: 0, classCode: 3, endpoints: [output], classDescriptors: [descriptor]),
            USBInterface(number: 0, classCode: 3, endpoints: [], classDescriptors: [descriptor]),
            USBInterface(number: 0, classCode: 3, endpoints: [input]),
            USBInterface(number: 0, classCode: 3, endpoints: [input], classDescriptors: [Array(descriptor.prefix(8))]),
            USBInterface(
                number: 0, classCode: 3, endpoints: [input], classDescriptors: [[0x09, 0x21, 0, 1, 0, 1, 0x23, 1, 0]]),
            USBInterface(
                number: 0, alternateSetting: 1, classCode: 3, endpoints: [input], classDescriptors: [descriptor]),
        ]
        #expect(HIDInterface.all(in: device(candidates)).isEmpty)
    }
}

/// A pair of sockets that keep messages apart stands for a hidraw node: a read gives one report.
@Suite struct HIDRawReaderTests {
    private struct Node {
        let device: HIDRawDevice
        let other: Int32

        init() throws {
            var files: [Int32] = [0, 0]
            try #require(
                socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &files) == 0)
            other = files[1]
            device = try HIDRawDevice(file: files[0], HIDReportDescriptor(parsing: []))
        }

        func send(_ report: [UInt8]) { _ = write(other, report, report.count) }
    }

    @Test func `reports are received one by one, unchanged`() async throws {
        let node = try Node()
        node.send([1, 2, 3])
        node.send([UInt8](repeating: 9, count: 337))
        #expect(try await node.device.nextReport(timeout: .seconds(5)) == [1, 2, 3])
        #expect(try await node.device.nextReport(timeout: .seconds(5)).count == 337)
        await node.device.close()
        close(node.other)
    }

    @Test func `a wait ends at its deadline, and the next one works`() async throws {
        let node = try Node()
        await #expect(throws: HIDError.timedOut) { _ = try await node.device.nextReport(timeout: .milliseconds(5)) }
        await #expect(throws: HIDError.timedOut) { _ = try await node.device.nextReport(timeout: .zero) }
        node.send([7])
        #expect(try await node.device.nextReport(timeout: .seconds(5)) == [7])
        await node.device.close()
        close(node.other)
    }

    @Test func `a wait ends when its task is canceled, and the report is kept for the next one`() async throws {
        let node = try Node()
        let waiting = Task { () -> HIDError? in
            do throws(HIDError) {
                _ = try await node.device.nextReport(timeout: .seconds(60))
                return nil
            } catch {
                return error
            }
        }
        waiting.cancel()
        #expect(await waiting.value == .canceled)
        node.send([5])
        #expect(try await node.device.nextReport(timeout: .seconds(5)) == [5])
        await node.device.close()
        close(node.other)
    }

    @Test func `closing ends a wait, and nothing is read afterward`() async throws {
        let node = try Node()
        async let failure: HIDError? = {
            do throws(HIDError) {
                _ = try await node.device.nextReport(timeout: .seconds(60))
                return nil
            } catch {
                return error
            }
        }()
        await node.device.close()
        await node.device.close()
        #expect(await failure == .closed)
        node.send([5])
        await #expect(throws: HIDError.closed) { _ = try await node.device.nextReport(timeout: .seconds(1)) }
        close(node.other)
    }

    @Test func `a node whose device is gone reports it`() async throws {
        let node = try Node()
        close(node.other)
        await #expect(throws: HIDError.deviceGone) { _ = try await node.device.nextReport(timeout: .seconds(5)) }
        await node.device.close()
    }

    @Test func `a file that is not a hidraw node is rejected`() async throws {
        let missing = KernelHID(reportDescriptor: [], node: "hidraw-that-nobody-has")
        for (kernel, expected) in [(nil, HIDError.noNode), (missing, .deviceGone)] as [(KernelHID?, HIDError)] {
            let device = USBDevice(
                bus: 1, address: 2, descriptor: USBDeviceDescriptor(vendorID: 1, productID: 1, release: 1),
                configuration: USBConfiguration(
                    value: 1,
                    interfaces: [
                        USBInterface(
                            number: 0, classCode: 3,
                            endpoints: [USBEndpoint(address: 0x81, kind: .interrupt, maximumPacketSize: 8)],
                            classDescriptors: [[9, 0x21, 0, 1, 0, 1, 0x22, 1, 0]], kernelHID: kernel)
                    ]))
            let interface = try #require(HIDInterface.all(in: device).first)
            #expect(throws: expected) { _ = try HIDRawDevice(device, interface) }
        }
    }
}
