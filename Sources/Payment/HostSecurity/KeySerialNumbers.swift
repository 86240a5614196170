import Concurrency
public import Cryptography
import Dispatch
public import Files
import Text

/// Where the last used key serial numbers of DUKPT are kept, so that no key is ever used for two messages.
public protocol KeySerialNumberStore: Sendable {
    /// Takes the next key serial number of a device. It is recorded for good before it is returned.
    ///
    /// - Parameter first: that of the initial key. The next one is behind it, and behind all that were taken.
    /// - Returns: the key serial number; no other call gets it.
    /// - Throws: ``KeySerialNumberError``
    func next(after first: DUKPTKeySerialNumber) async throws(KeySerialNumberError) -> DUKPTKeySerialNumber
}

/// The last used key serial numbers in a file beside the key file, `KEYFILE.ksn`: a line of hexadecimal digits for each
/// device. Several processes may take numbers at once.
public struct KeySerialNumberFile: KeySerialNumberStore {
    /// The path of the file.
    public let path: String

    private static let limit = 8192

    /// - Parameter keyFile: the path of the key file.
    public init(beside keyFile: String) { path = keyFile + ".ksn" }

    public func next(after first: DUKPTKeySerialNumber) async throws(KeySerialNumberError) -> DUKPTKeySerialNumber {
        // Another process may hold the lock for a while.
        let answer = FirstAnswer<DUKPTKeySerialNumber, KeySerialNumberError>()
        return try await withCheckedContinuation { continuation in
            answer.wait(continuation)
            DispatchQueue.global().async { @Sendable in
                answer.give(
                    Result { () throws(KeySerialNumberError) -> DUKPTKeySerialNumber in
                        try self.take(after: first)
                    })
            }
        }.get()
    }

    private func take(after first: DUKPTKeySerialNumber) throws(KeySerialNumberError) -> DUKPTKeySerialNumber {
        let taken: Result<DUKPTKeySerialNumber, DUKPTError>
        do throws(FileStorageError) {
            let storage = FileStorage(trust: .ownerAlone, limit: Self.limit)
            taken = try storage.update(path) {
                (bytes) throws(FileStorageError) -> (
                    bytes: [UInt8]?, value: Result<DUKPTKeySerialNumber, DUKPTError>
                ) in
                // A file that lost its lines would begin the keys again.
                if bytes?.isEmpty == true { throw damaged("it is empty") }
                var last = try lines(bytes ?? [])
                let place = last.firstIndex { $0.with(counter: 0) == first.with(counter: 0) }
                let known = place.map { last[$0] }
                let before = known.map { $0.counter > first.counter ? $0 : first } ?? first
                let next: DUKPTKeySerialNumber
                do throws(DUKPTError) { next = try before.next() } catch { return (nil, .failure(error)) }
                if let place { last[place] = next } else { last.append(next) }
                let text = last.map { $0.bytes.hexadecimal + "\n" }.joined()
                return (Array(text.utf8), .success(next))
            }
        } catch { throw .file(error) }
        do throws(DUKPTError) { return try taken.get() } catch { throw .numbers(error) }
    }

    /// The numbers of the file. One that can't be read is an error: a number must not be used twice.
    private func lines(_ bytes: [UInt8]) throws(FileStorageError) -> [DUKPTKeySerialNumber] {
        var numbers: [DUKPTKeySerialNumber] = []
        for line in bytes.split(separator: 0x0A) {
            guard let digits = [UInt8](hexadecimal: String(decoding: line, as: UTF8.self)),
                let number = try? DUKPTKeySerialNumber(digits)
            else { throw damaged("a line is no key serial number") }
            numbers.append(number)
        }
        return numbers
    }

    private func damaged(_ what: String) -> FileStorageError {
        .malformed(
            path: path,
            reason: what + ", and keys must not be used again: before you move the file away, set 'ksn' in the key "
                + "file behind the last number that was used")
    }
}

/// Why there is no next key serial number.
public enum KeySerialNumberError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file of the numbers can't be read or written.
    case file(FileStorageError)
    /// All keys of the device are used.
    case numbers(DUKPTError)
    /// There is no place where numbers are kept.
    case noPlace

    public var description: String {
        switch self {
        case .file(let error): "\(error)"
        case .numbers(.keysUsedUp): "all keys of the initial key are used: have the acquirer issue a new one"
        case .numbers(let error): error.description
        case .noPlace: "there is no file for the key serial numbers"
        }
    }
}
