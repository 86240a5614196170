import Determinism
import Foundation
import Glibc
import Synchronization

@testable import USB

/// A signal that a test gives.
final class ManualSignal: DeviceChangeSignal {
    private let (reading, writing): (Int32, Int32)

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw USBError(errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    func fire() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    func observe(_ notify: @escaping @Sendable () -> Void) -> FileDescriptorWatch? {
        let file = dup(reading)
        return FileDescriptorWatch(file) {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(file, &bytes, bytes.count) > 0 {}
            notify()
        }
    }
}

/// Time that stands still until a test lets one sleeper go on.
final class SteppedTimeSource: TimeSource {
    private struct State {
        var permits = 0
        var steps = 0
        var next = 0
        var canceled: Set<Int> = []
        var sleepers: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Each step is five seconds.
    func now() -> Timestamp { VirtualTimeSource.standardStart.advanced(by: .seconds(5 * state.withLock { $0.steps })) }

    var hasSleepers: Bool { state.withLock { !$0.sleepers.isEmpty } }

    func untilSomebodySleeps() async {
        while !hasSleepers { await Task.yield() }
    }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        let number = state.withLock {
            $0.next += 1
            return $0.next
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock {
                    if $0.canceled.remove(number) != nil { return false }
                    if $0.permits > 0 {
                        $0.permits -= 1
                        return true
                    }
                    $0.sleepers[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.canceled.insert(number) }
                return sleeper
            }
            sleeper?.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }

    /// Lets one sleep end: one that runs, or the next.
    func step() {
        let sleeper = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            state.steps += 1
            guard let number = state.sleepers.keys.min() else {
                state.permits += 1
                return nil
            }
            return state.sleepers.removeValue(forKey: number)
        }
        sleeper?.resume(returning: true)
    }
}

/// A directory in which devices are listed as Linux lists them in /sys/bus/usb/devices.
final class SysfsFixture: Sendable {
    let directory: String

    init(directory: String? = nil) throws {
        self.directory = directory ?? FileManager.default.temporaryDirectory.path + "/sysfs-\(UUID().uuidString)"
        let directory = self.directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func write(_ bytes: [UInt8], to attribute: String, of device: String) throws {
        try FileManager.default.createDirectory(atPath: "\(directory)/\(device)", withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(device)/\(attribute)"))
    }

    func write(_ text: String, to attribute: String, of device: String) throws {
        try write(Array(text.utf8), to: attribute, of: device)
    }

    /// Adds a reader; no node in /dev belongs to its bus number.
    func plug(
        _ name: String, address: UInt8,
        descriptors: [UInt8] = DescriptorSamples.device
            + DescriptorSamples.configuration(1, DescriptorSamples.interface, DescriptorSamples.endpoints)
    ) throws {
        try write("250\n", to: "busnum", of: name)
        try write("1\n", to: "bConfigurationValue", of: name)
        try write(descriptors, to: "descriptors", of: name)
        // Last, so that a reader of the list does not see an incomplete device.
        try write("\(address)\n", to: "devnum", of: name)
    }

    func unplug(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(directory)/\(name)") }
}

/// A root directory with /sys and /proc, in which devices are plugged in and programs run.
final class SystemTree: Sendable {
    let root: String
    let sysfs: SysfsFixture

    init() throws {
        root = FileManager.default.temporaryDirectory.path + "/system-\(UUID().uuidString)"
        sysfs = try SysfsFixture(directory: "\(root)/sys/bus/usb/devices")
        try FileManager.default.createDirectory(atPath: "\(root)/proc", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Adds a reader and binds drivers to its interfaces.
    func plug(_ name: String, address: UInt8, drivers: [UInt8: String] = [:]) throws {
        try sysfs.plug(name, address: address)
        for (interface, driver) in drivers { try bind(driver, to: interface, of: name) }
    }

    func bind(_ driver: String, to interface: UInt8, of name: String) throws {
        let place = "\(name):1.\(interface)"
        try sysfs.write("0\(interface)\n", to: "bInterfaceNumber", of: place)
        try FileManager.default.createSymbolicLink(
            atPath: "\(sysfs.directory)/\(place)/driver", withDestinationPath: "../../../../bus/usb/drivers/\(driver)")
    }

    /// Adds a program that has `files` open; nil when they are not visible.
    func start(_ name: String, pid: Int32, open files: [String]?) throws {
        let directory = "\(root)/proc/\(pid)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(directory)/comm"))
        guard let files else {
            // Root may read every directory, so what refuses is a link that leads to itself.
            try FileManager.default.createSymbolicLink(atPath: "\(directory)/fd", withDestinationPath: "fd")
            return
        }
        try FileManager.default.createDirectory(atPath: "\(directory)/fd", withIntermediateDirectories: true)
        for (number, file) in files.enumerated() {
            try FileManager.default.createSymbolicLink(
                atPath: "\(directory)/fd/\(number)", withDestinationPath: file)
        }
    }
}

/// Descriptors as devices send them, put together from the tables in USB 2.0 §9.6 and CCID 1.1 §5.1.
enum DescriptorSamples {
    static let device: [UInt8] = [
        18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0x01, 0x00, 0x23, 0x01, 1, 2, 3, 1,
    ]

    static let interface: [UInt8] = [9, 4, 0, 0, 3, 0x0B, 0, 0, 0]
    static let ccid: [UInt8] = [54, 0x21, 0x10, 0x01] + [UInt8](repeating: 0x07, count: 50)
    static let endpoints: [UInt8] = [7, 5, 0x81, 3, 8, 0, 16, 7, 5, 0x82, 2, 64, 0, 0, 7, 5, 0x03, 2, 64, 0, 0]

    /// A configuration numbered `value` with `body` after its head.
    static func configuration(_ value: UInt8 = 1, _ body: [UInt8]...) -> [UInt8] {
        let body = body.flatMap { $0 }
        let total = UInt16(9 + body.count)
        return [9, 2, UInt8(total & 0xFF), UInt8(total >> 8), 1, value, 0, 0x80, 50] + body
    }
}
