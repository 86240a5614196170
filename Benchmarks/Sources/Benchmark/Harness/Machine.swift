import Glibc

/// The machine on which the benchmarks run.
enum Machine {
    static var description: String {
        let processor = field("model name", of: "/proc/cpuinfo") ?? "unknown processor"
        let memory = field("MemTotal", of: "/proc/meminfo") ?? "unknown memory"
        return "\(coreCount) cores, \(processor), memory \(memory), \(kernel)"
    }

    static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The load averages of 1, 5, and 15 minutes, which show whether other programs were running.
    static var load: String { text(of: "/proc/loadavg").split(separator: " ").prefix(3).joined(separator: " ") }

    /// The processor time of this process, of all its threads.
    static var processorSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The processor time of this thread. A task may continue on another thread after an `await`.
    static var threadProcessorSeconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
    }

    /// The processor time of another process, of all its threads, in steps of a clock tick (proc(5)).
    ///
    /// - Throws: `BenchmarkError` when the process is gone.
    static func processorSeconds(of process: pid_t) throws -> Double {
        // The name of the program, in parentheses, may have blanks.
        let fields = text(of: "/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw BenchmarkError("no times in /proc/\(process)/stat")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The memory of this process, or of another one, that is in RAM, or was at most (VmRSS and VmHWM, proc(5)).
    ///
    /// - Throws: `BenchmarkError` when the kernel does not report it.
    static func residentKilobytes(of process: pid_t? = nil, atPeak: Bool = false) throws -> Int {
        let path = "/proc/\(process.map { "\($0)" } ?? "self")/status"
        let name = atPeak ? "VmHWM" : "VmRSS"
        guard let words = field(name, of: path)?.split(separator: " "),
            let kilobytes = words.first.flatMap({ Int($0) })
        else { throw BenchmarkError("no \(name) in \(path)") }
        return kilobytes
    }

    static var date: String {
        var (now, date) = (time(nil), tm())
        gmtime_r(&now, &date)
        func pad(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.tm_year + 1900)-\(pad(date.tm_mon + 1))-\(pad(date.tm_mday))"
    }

    /// How many times per second a page appended to a file in `folder` reaches the disk (fdatasync(2)).
    static func syncRate(in folder: String) async -> Double {
        let path = folder + "/sync"
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { return .nan }
        defer {
            close(descriptor)
            unlink(path)
        }
        let page = [UInt8](repeating: 0x5A, count: 4096)
        let count = 200
        let elapsed = await seconds {
            for _ in 0..<count where write(descriptor, page, page.count) == page.count { fdatasync(descriptor) }
        }
        return Double(count) / elapsed
    }

    private static var kernel: String {
        "Linux " + (text(of: "/proc/sys/kernel/osrelease").split(separator: "\n").first.map(String.init) ?? "unknown")
    }

    private static func field(_ name: String, of path: String) -> String? {
        let line = text(of: path).split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: ":", maxSplits: 1).last.map {
            $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
