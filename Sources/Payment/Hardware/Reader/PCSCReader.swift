public import Determinism
public import PCSC
import SmartCard
import Synchronization

/// The card readers behind pcscd on this machine, which other programs use as well.
public final class PCSCReaderSource: CardReaderSource {
    private let library: PCSCLibrary?
    private let timing: PCSCTiming
    private let time: any TimeSource
    /// The first queries of streams of changes; each task ends with its query.
    private let firstLooks = Mutex<[Task<Void, Never>]>([])

    /// - Parameters:
    ///   - library: The library to use; nil for the installed one.
    ///   - timing: How long to wait for pcscd and for other programs.
    ///   - time: The time source for the waits.
    public init(
        library: PCSCLibrary? = nil, timing: PCSCTiming = PCSCTiming(), time: any TimeSource = SystemTimeSource()
    ) {
        (self.library, self.timing, self.time) = (library, timing, time)
    }

    public var discoveryMethod: CardReaderDiscoveryMethod { .pcsc }

    public var readerTypes: Set<CardReaderType> { [.pcsc] }

    public func readers() async throws(UnderlyingError) -> [CardReader] {
        // A caller that subscribes and then queries must not miss a change in between.
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

    /// Returns a reader with the attributes that its driver reports, as far as it can be queried now.
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

/// A card reader behind pcscd.
final class PCSCReaderSession: CardReaderSession {
    private let reader: PCSCReader

    init(_ reader: PCSCReader) { self.reader = reader }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        do throws(PCSCError) {
            return try await reader.waitForCard(present: present, timeout: timeout)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel {
        do throws(PCSCError) {
            return try await reader.powerOn()
        } catch {
            throw UnderlyingError(error)
        }
    }

    func powerOff() async { await reader.powerOff() }

    /// pcscd does not support batteries.
    func batteryLevel() async -> Double? { nil }

    func loss() async -> DisconnectReason? {
        let reader = reader
        return await Task { () -> DisconnectReason? in
            do throws(PCSCError) {
                _ = try await reader.state()
                return nil
            } catch {
                switch error {
                case .failed(_, .readerUnavailable), .failed(_, .unknownReader): return .unplugged
                default: return .failed(error.description)
                }
            }
        }.value
    }

    func close() async { await reader.close() }
}

extension CardReader {
    /// Creates the reader with this name in pcscd. A reader with several slots has a name for each.
    init(pcsc name: String, _ description: PCSCReaderDescription = PCSCReaderDescription()) {
        self.init(
            id: "pcsc:" + name, name: name, manufacturer: description.manufacturer,
            serialNumber: description.serialNumber, usbID: description.usbID,
            softwareVersion: description.softwareVersion, batteryLevel: nil, readerType: .pcsc, exchangeLevel: "PC/SC",
            slotCount: 1, hasPINPad: description.hasPINPad)
    }
}
