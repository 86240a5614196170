import Dispatch
import Foundation
import Testing

/// Runs ``OverLibUSB`` in a process that sees the bridge's devices.
@Suite(.enabled(if: !USBBridge.isPresent)) struct USBBridgeRun {
    @Test func `the driver works with readers behind the real libusb`() async throws {
        let missing =
            await run("pkg-config --exists umockdev-1.0 && command -v umockdev-wrapper pkg-config").status != 0
        try #require(!missing, "umockdev is missing: apt-get install umockdev libumockdev-dev pkg-config")

        let directory = FileManager.default.temporaryDirectory.path + "/usb-bridge-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Mock").path
        let compiler = await run(
            "$(command -v cc || command -v clang) -o '\(directory)/bridge' '\(sources)'/*.c "
                + "$(pkg-config --cflags --libs umockdev-1.0)")
        try #require(compiler.status == 0, "\(compiler.output)")

        // This very program, which must not look for the reason of a crash with the preloaded library in its way.
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let result = await run(
            "SWIFT_BACKTRACE=enable=no timeout -k 5 120 umockdev-wrapper '\(directory)/bridge' '\(tests)' "
                + "--testing-library swift-testing --filter ReaderTests.OverLibUSB")
        #expect(result.status == 0, "\(result.output)")
        // A filter that finds no test is a success, too.
        #expect(result.output.contains("Suite OverLibUSB passed"), "\(result.output)")
    }

    private func run(_ command: String) async -> (status: Int32, output: String) {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                guard let pipe = popen("{ \(command) ; } 2>&1", "r") else {
                    continuation.resume(returning: (-1, "popen failed"))
                    return
                }
                var output: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 4096)
                while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { output += chunk.prefix(count) }
                continuation.resume(returning: (pclose(pipe), String(decoding: output, as: UTF8.self)))
            }
        }
    }
}
