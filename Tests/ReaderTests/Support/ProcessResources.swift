import Foundation

/// What this process holds of the system that a reader could leave behind.
struct ProcessResources: Hashable, CustomStringConvertible {
    /// Open files by what they are: device nodes, sockets, timers and so on.
    var files: [String: Int]
    /// Threads on which libusb works.
    var eventThreads: Int

    static var now: ProcessResources {
        var files: [String: Int] = [:]
        for number in names(in: "/proc/self/fd") {
            // The directory itself is open while it is read, and is gone when it is looked at.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            else { continue }
            if target.hasPrefix("socket:"), Int32(number).map(isInherited) != false { continue }
            // The address of a device says nothing: it changes when the device is plugged in again.
            let kind =
                target.contains(Self.nodes)
                ? Self.nodes : String(target.prefix { $0 != "[" || target.hasPrefix("anon") })
            files[kind, default: 0] += 1
        }
        let threads = names(in: "/proc/self/task").count {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "usb-events\n"
        }
        return ProcessResources(files: files, eventThreads: threads)
    }

    /// Open nodes of USB devices.
    var deviceFiles: Int { files[Self.nodes] ?? 0 }

    private static let nodes = "/dev/bus/usb/"

    /// Whether programs that this one starts would get the file. Of all sockets only those of umockdev's preloaded
    /// library are so, one for each device that is open; when several threads open and close files it loses one now
    /// and then.
    private static func isInherited(_ file: Int32) -> Bool {
        let flags = fcntl(file, F_GETFD)
        return flags >= 0 && flags & FD_CLOEXEC == 0
    }

    /// Every thread of the process.
    static var threads: Int { names(in: "/proc/self/task").count }

    var description: String {
        "\(eventThreads) event threads, "
            + files.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            .joined(separator: ", ")
    }

    private static func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
}
