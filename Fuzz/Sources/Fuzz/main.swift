import CLibFuzzer
import Glibc

/// Feeds libFuzzer's inputs to one target: `Fuzz TARGET [libFuzzer's options] [corpus]`.

// Set once, before libFuzzer starts, and read by the one thread that it runs.
nonisolated(unsafe) var target = FuzzTarget.all[0]

/// The name that libFuzzer's own main expects; that main stays unused.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    // A rejected input is fine, too.
    try? target.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
    return 0
}

Waiting.takeTasks()
switch CommandLine.arguments.dropFirst().first {
case "list":
    for target in FuzzTarget.all { print(target.name, target.longestInput) }
case "seeds" where CommandLine.argc == 3:
    do { try Seeds.write(to: CommandLine.arguments[2]) } catch {
        print("cannot write seeds: \(error)")
        exit(74)
    }
case let name:
    // To merge, libFuzzer starts the program again with options only.
    let inherited = getenv("FUZZ_TARGET").map { String(cString: $0) }
    let isChild = inherited != nil && name?.hasPrefix("-") == true
    guard let found = FuzzTarget.all.first(where: { $0.name == (isChild ? inherited : name) }) else {
        print("usage: Fuzz TARGET [libFuzzer's options] [corpus] | Fuzz list | Fuzz seeds FOLDER")
        exit(64)
    }
    target = found
    setenv("FUZZ_TARGET", found.name, 1)
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    if !isChild {
        // libFuzzer sees the arguments without the target's name: the program, then its own options.
        CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
        count -= 1
        arguments = CommandLine.unsafeArgv + 1
    }
    exit(LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
}
