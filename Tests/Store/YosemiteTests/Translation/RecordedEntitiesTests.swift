import Determinism
import Foundation
import Networking
import Storage
import Testing

@testable import Yosemite

/// Recorded responses of real stores, if available: decodable values are stored and survive the round trip.
@Suite struct RecordedEntitiesTests {
    private static let folder = ProcessInfo.processInfo.environment["CARDPRESENT_STORE_ANSWERS"]

    @Test(.enabled(if: folder != nil, "CARDPRESENT_STORE_ANSWERS names no folder"))
    func `every decodable recorded response survives the round trip through the database`() throws {
        let folder = URL(filePath: try #require(Self.folder))
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        var kept = 0
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where file.hasSuffix(".json") {
            let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
            for entity in ResponseEntity.all {
                guard let value = try? entity.decode(bytes).value else { continue }
                let models = value as? [any ReadOnlyType] ?? (value as? any ReadOnlyType).map { [$0] } ?? []
                for model in models {
                    #expect(try isSameAgain(model, in: storage), "\(file) as \(entity.name)")
                    kept += 1
                }
            }
        }
        #expect(kept > 0)
    }

    private func isSameAgain<Model: ReadOnlyType>(_ model: Model, in storage: SQLiteStorageManager) throws -> Bool {
        try storage.performAndSave { storage in
            try storage.delete(Model.self)
            try storage.save(model)
            return try storage.models(Model.self) == [model]
        }
    }
}
