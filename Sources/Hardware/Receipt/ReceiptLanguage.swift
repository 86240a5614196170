/// The languages that receipts are written in, by their code (ISO 639-1).
public enum ReceiptLanguage: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case spanish = "es"
    case french = "fr"
    case german = "de"
    case italian = "it"
    case portuguese = "pt"
    case japanese = "ja"
    case arabic = "ar"
}
