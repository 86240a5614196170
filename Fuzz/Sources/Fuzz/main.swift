internal import CLibFuzzer
internal import Glibc

/// Feeds libFuzzer's inputs to one parser: `Fuzz TARGET [libFuzzer's options] [corpus]`.

guard CommandLine.argc >= 2, let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
    print("usage: Fuzz TARGET [libFuzzer's options] [corpus]\ntargets:", FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))
    exit(64)
}
FuzzTarget.current = target
// libFuzzer takes the first argument for the program's name.
var count = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
exit(LLVMFuzzerRunDriver(&count, &arguments, testOneInput))

/// The name that libFuzzer's own main looks for; that main stays unused.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    FuzzTarget.current.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
    return 0
}
