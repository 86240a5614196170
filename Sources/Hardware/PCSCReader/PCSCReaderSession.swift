internal import PCSC
internal import SmartCard

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

    /// pcscd knows no batteries.
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
