import Foundation
import Glibc
import Testing

/// A core dump of a running program, made by gdb. The file goes with the value.
final class CoreDump {
    /// Whether one can be made: a debugger is allowed to attach to a process that forbids it only as root.
    static let isPossible = geteuid() == 0 && debugger != nil

    private static let debugger = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { $0 + "/gdb" }.first(where: FileManager.default.isExecutableFile)

    /// PR_GET_DUMPABLE of linux/prctl.h, which Swift's module of the C library leaves out.
    private static let getDumpable = 3

    private typealias Search = @convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer, Int) -> UnsafeRawPointer?
    /// memmem(3), which glibc shows to C under _GNU_SOURCE only. A loop in Swift would take minutes.
    private static let search = dlsym(dlopen(nil, RTLD_NOW), "memmem").map { unsafeBitCast($0, to: Search.self) }

    /// What the program's kernel says to PR_GET_DUMPABLE; nil if the debugger did not ask: a program that is stopped
    /// can't be asked.
    let dumpable: Int?
    private let bytes: UnsafeRawBufferPointer

    /// Stops the program for the time of the dump, unless a signal has stopped it: `isStopped`. With `isWhole`, the
    /// dump has the memory, too, that the program keeps out of dumps.
    init(of child: Child, in scratch: Scratch, isWhole: Bool = false, isStopped: Bool = false) throws {
        let path = scratch.file("core-\(UUID().uuidString.filter(\.isLetter))")
        defer { unlink(path) }
        var arguments = [
            "-nx", "-q", "-batch", "-readnever", "-p", String(child.process), "-iex", "set debuginfod enabled off",
            "-ex", "set dump-excluded-mappings \(isWhole ? "on" : "off")", "-ex", "generate-core-file \(path)",
        ]
        if !isStopped { arguments += ["-ex", "print ((int (*)(int)) prctl)(\(Self.getDumpable))"] }
        let gdb = try Child(
            program: try #require(Self.debugger), arguments, in: scratch, takesSignals: true)
        let result = try gdb.result()
        let answer = result.output.split(separator: "\n").last { $0.hasPrefix("$1 = ") }
        dumpable = answer.flatMap { Int($0.dropFirst(5)) }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0, "no core: \(result.output.suffix(500)) \(result.error.suffix(500))")
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0)
        try #require(size > 0 && start != MAP_FAILED)
        bytes = UnsafeRawBufferPointer(start: start, count: size)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

    /// Whether the bytes stand anywhere, but for the places that follow `exception`.
    func contains(_ wanted: [UInt8], except exception: [UInt8] = []) -> Bool {
        guard let start = bytes.baseAddress, let search = Self.search else { return false }
        var place = start
        while let found = search(place, start + bytes.count - place, wanted, wanted.count) {
            let isException =
                !exception.isEmpty && found - start >= exception.count
                && memcmp(found - exception.count, exception, exception.count) == 0
            guard isException else { return true }
            place = found + 1
        }
        return false
    }
}

/// The forms in which a card's number and its PIN can stand in memory.
struct CardSecretForms {
    /// The bytes of each form, by its name.
    let forms: [(name: String, bytes: [UInt8])]
    /// What precedes the number's digits in a text of the simulated issuer about its own test cards.
    let library: [UInt8]

    /// - Parameters:
    ///   - pan: 16 digits.
    ///   - pin: 4...12 digits. Only a PIN of 12 is looked for by itself: four digits are in every memory.
    init(pan: String, pin: String) {
        // Without the ends, so that a copy that was overwritten in part is found, too.
        let middle = pan.utf8.dropFirst(2).dropLast(2)
        let odd = pan.utf8.dropFirst(3).dropLast()
        var forms = [
            ("PAN in ASCII", Array(middle)), ("PAN, a digit a byte", middle.map { $0 & 0x0F }),
            // 5A, and 57 up to its separator.
            ("PAN, two digits a byte", Self.packed(middle)),
            // The account number field of a PIN block in format 0.
            ("PAN, two digits a byte from an odd one", Self.packed(odd)),
            // 57 in ASCII, as a message to an issuer has it.
            ("track 2 in ASCII", Array((pan + "D").utf8.suffix(10))),
        ]
        let field = Self.packed("0\(String(pin.count, radix: 16))\(pin)".utf8) + Array(repeating: 0xFF, count: 8)
        let account = [0, 0] + Self.packed(odd)
        forms.append(("PIN field", Array(field.prefix(8))))
        forms.append(("PIN block, format 0", zip(field, account).map { $0 ^ $1 }))
        forms.append(("PIN block, format 2", [field[0] | 0x20] + field[1..<8]))
        if pin.utf8.count == 12 {
            forms.append(("PIN in ASCII", Array(pin.utf8)))
            forms.append(("PIN, a digit a byte", pin.utf8.map { $0 & 0x0F }))
            forms.append(("PIN, two digits a byte", Self.packed(pin.utf8)))
        }
        self.forms = forms
        library = Array("pan: ".utf8) + pan.utf8.prefix(2)
    }

    /// The names of the forms that a core dump contains.
    func found(in core: CoreDump) -> [String] {
        forms.filter { core.contains($0.bytes, except: library) }.map(\.name)
    }

    private static func packed(_ digits: some Sequence<UInt8>) -> [UInt8] {
        let values = digits.map { $0 > 0x39 ? ($0 | 0x20) - 0x61 + 10 : $0 & 0x0F }
        return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
