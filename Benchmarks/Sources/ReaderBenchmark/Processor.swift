import Glibc

/// Processor time.
enum Processor {
    /// The processor time of this process, in seconds.
    static var seconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The processor time of the current threads of another process, in seconds (first word of schedstat, proc(5)).
    static func seconds(of process: Int32) throws -> Double {
        guard let folder = opendir("/proc/\(process)/task") else {
            throw ReaderBenchmarkError("there is no process \(process)")
        }
        defer { closedir(folder) }
        var nanoseconds = 0.0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let file = fopen("/proc/\(process)/task/\(name)/schedstat", "r") else { continue }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = fread(&bytes, 1, bytes.count, file)
            let words = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
            nanoseconds += words.first.flatMap { Double($0) } ?? 0
        }
        return nanoseconds * 1e-9
    }
}
