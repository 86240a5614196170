public import Determinism
public import PCSC
internal import Synchronization

/// The card readers behind the pcscd of this machine, which other programs use too.
public final class PCSCReaderSource: CardReaderSource {
    private let library: PCSCLibrary?
    private let timing: PCSCTiming
    private let time: any TimeSource
    /// Each ends when a stream of changes has had its first look.
    private let firstLooks = Mutex<[Task<Void, Never>]>([])

    /// - Parameters:
    ///   - library: whose functions are called; nil takes the machine's.
    ///   - timing: how long to wait for pcscd and for other programs.
    ///   - time: what the waits are measured by.
    public init(
        library: PCSCLibrary? = nil, timing: PCSCTiming = PCSCTiming(), time: any TimeSource = SystemTimeSource()
    ) {
        (self.library, self.timing, self.time) = (library, timing, time)
    }

    public var discoveryMethod: CardReaderDiscoveryMethod { .pcsc }

    public var readerTypes: Set<CardReaderType> { [.pcsc] }

    public func readers() async throws(UnderlyingError) -> [CardReader] {
        // Who begins to listen and then looks misses nothing in between.
        let firstLooks = firstLooks.withLock { looks in
            defer { looks = [] }
            return looks
        }
        for look in firstLooks { await look.value }
        do throws(PCSCError) {
            let context = try await PCSCContext.establish(library: library, timing: timing, time: time)
            do throws(PCSCError) {
                var readers: [CardReader] = []
                for name in try await context.readers() { readers.append(await Self.reader(name, in: context)) }
                await context.release()
                return readers
            } catch {
                await context.release()
                throw error
            }
        } catch {
            throw UnderlyingError(error)
        }
    }

    public func changes() -> any AsyncSequence<CardReaderChange, Never> & Sendable {
        let (firstLook, looking) = AsyncStream.makeStream(of: Void.self)
        firstLooks.withLock { $0.append(Task { for await _ in firstLook {} }) }
        return AsyncStream { [watch = PCSCReaderListWatch(library: library, timing: timing, time: time)] changes in
            let watching = Task {
                var known: [String]?
                await watch.run { names in
                    if let known {
                        for name in known where !names.contains(name) { changes.yield(.left(CardReader(pcsc: name))) }
                        for name in names where !known.contains(name) {
                            changes.yield(.arrived(await self.reader(name)))
                        }
                    }
                    known = names
                    looking.finish()
                }
                looking.finish()
            }
            changes.onTermination = { _ in watching.cancel() }
        }
    }

    public func open(_ reader: CardReader) async throws(UnderlyingError) -> any CardReaderSession {
        do throws(PCSCError) {
            return PCSCReaderSession(
                try await PCSCReader.open(reader.name, library: library, timing: timing, time: time))
        } catch {
            throw UnderlyingError(error)
        }
    }

    /// A reader with what its driver tells of it, as far as it can be asked now.
    private func reader(_ name: String) async -> CardReader {
        do throws(PCSCError) {
            let context = try await PCSCContext.establish(library: library, timing: timing, time: time)
            let reader = await Self.reader(name, in: context)
            await context.release()
            return reader
        } catch {
            return CardReader(pcsc: name)
        }
    }

    private static func reader(_ name: String, in context: PCSCContext) async -> CardReader {
        CardReader(pcsc: name, (try? await context.describe(name)) ?? PCSCReaderDescription())
    }
}
