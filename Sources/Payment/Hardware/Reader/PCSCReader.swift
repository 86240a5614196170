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
                let names = try await context.readers()
                for name in names { readers.append(await Self.reader(name, in: context, among: names)) }
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
                            changes.yield(.arrived(await self.reader(name, among: names)))
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
            let main = try await PCSCReader.open(reader.name, library: library, timing: timing, time: time)
            // Without the reader beside it, the reader takes payments as well.
            var field: PCSCReader?
            if reader.inputs.isSuperset(of: [.insert, .tap]), let name = await contactlessReader(beside: reader.name) {
                field = try? await PCSCReader.open(name, library: library, timing: timing, time: time)
            }
            return PCSCReaderSession(main, beside: field)
        } catch {
            throw UnderlyingError(error)
        }
    }

    /// Returns a reader with the attributes that its driver reports, as far as it can be queried now.
    private func reader(_ name: String, among names: [String]) async -> CardReader {
        do throws(PCSCError) {
            let context = try await PCSCContext.establish(library: library, timing: timing, time: time)
            let reader = await Self.reader(name, in: context, among: names)
            await context.release()
            return reader
        } catch {
            return CardReader(pcsc: name)
        }
    }

    private static func reader(_ name: String, in context: PCSCContext, among names: [String]) async -> CardReader {
        var reader = CardReader(pcsc: name, (try? await context.describe(name)) ?? PCSCReaderDescription())
        if PCSCReaderName.contactlessReader(beside: name, among: names) != nil { reader.inputs.formUnion(.tap) }
        return reader
    }

    /// Returns the name of the contactless reader in the same device; nil when there is none.
    private func contactlessReader(beside name: String) async -> String? {
        do throws(PCSCError) {
            let context = try await PCSCContext.establish(library: library, timing: timing, time: time)
            let names = try? await context.readers()
            await context.release()
            return names.flatMap { PCSCReaderName.contactlessReader(beside: name, among: $0) }
        } catch {
            return nil
        }
    }
}

/// A card reader behind pcscd.
final class PCSCReaderSession: CardReaderSession {
    private let reader: PCSCReader
    /// The contactless reader in the same device; nil when there is none.
    private let companion: PCSCReader?
    /// Whether the answer to reset of the last card was one that a contactless reader makes. The next card may have
    /// contacts, in a reader that has both behind one name.
    private let hasContactlessCard = Mutex(false)

    init(_ reader: PCSCReader, beside companion: PCSCReader?) { (self.reader, self.companion) = (reader, companion) }

    var contactlessField: (any ContactlessField)? {
        fieldOfInsertedCard ?? (reader.isContactless ? reader : companion).map { PCSCContactlessField($0) }
    }

    var fieldOfInsertedCard: (any ContactlessField)? {
        hasContactlessCard.withLock { $0 } ? PCSCContactlessField(reader) : nil
    }

    func inputs() async -> CardReaderInput {
        reader.isContactless ? .tap : companion == nil ? .insert : [.insert, .tap]
    }

    func waitForCard(present: Bool, timeout: Duration) async throws(UnderlyingError) -> Bool {
        do throws(PCSCError) {
            return try await reader.waitForCard(present: present, timeout: timeout)
        } catch {
            throw UnderlyingError(error)
        }
    }

    func powerOn() async throws(UnderlyingError) -> any CardChannel {
        do throws(PCSCError) {
            let channel = try await reader.powerOn()
            hasContactlessCard.withLock { $0 = channel.contactless != nil }
            return channel
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

    func close() async {
        await companion?.close()
        await reader.close()
    }
}

extension CardReader {
    /// Creates the reader with this name in pcscd. A reader with several slots has a name for each.
    init(pcsc name: String, _ description: PCSCReaderDescription = PCSCReaderDescription()) {
        self.init(
            id: "pcsc:" + name, name: name, manufacturer: description.manufacturer,
            serialNumber: description.serialNumber, usbID: description.usbID,
            softwareVersion: description.softwareVersion, batteryLevel: nil, readerType: .pcsc, exchangeLevel: "PC/SC",
            slotCount: 1, hasPINPad: description.hasPINPad,
            inputs: PCSCReaderName(name).isContactless ? .tap : .insert)
    }
}
