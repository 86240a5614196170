public import Determinism

/// Tells of readers that come to pcscd and go. A pcscd that ends takes all of its readers away; one that starts brings
/// them back.
public struct PCSCReaderListWatch: Sendable {
    private let library: PCSCLibrary?
    private let timing: PCSCTiming
    private let time: any TimeSource
    /// PC/SC carries the states of so many readers, the list of readers itself among them (pcsclite.h).
    private static let mostStates = 16

    /// - Parameters:
    ///   - library: whose functions are called; nil takes the machine's.
    ///   - timing: how long to wait for what.
    ///   - time: what the waits are measured by.
    public init(
        library: PCSCLibrary? = nil, timing: PCSCTiming = PCSCTiming(), time: any TimeSource = SystemTimeSource()
    ) {
        (self.library, self.timing, self.time) = (library, timing, time)
    }

    /// Runs until the task is cancelled.
    ///
    /// - Parameter onList: gets the names of the readers: first as they are, none without pcscd; then whenever they may
    ///   have changed.
    public func run(onList: ([String]) async -> Void) async {
        while !Task.isCancelled {
            do throws(PCSCError) {
                let context = try await PCSCContext.establish(library: library, timing: timing, time: time)
                do throws(PCSCError) {
                    while true {
                        let names = try await context.readers()
                        await onList(names)
                        try await waitForChange(of: names, in: context)
                    }
                } catch {
                    await context.release()
                    throw error
                }
            } catch {
                // A reader that went between two calls is no failure of the connection.
                if case .failed(_, .unknownReader) = error { continue }
                guard error != .cancelled else { return }
                await onList([])
                try? await time.sleep(for: timing.listInterval)
            }
        }
    }

    /// Returns when a reader or a card may have come or gone, which is also after ``PCSCTiming/listInterval``.
    private func waitForChange(of names: [String], in context: PCSCContext) async throws(PCSCError) {
        var known = [PCSCReaderState.readerList] + names.prefix(Self.mostStates - 1).map(PCSCReaderState.init(reader:))
        // Of readers of which nothing is known the first call tells at once.
        known = try await context.change(from: known, within: .zero) ?? known
        _ = try await context.change(from: known, within: timing.listInterval)
    }
}
