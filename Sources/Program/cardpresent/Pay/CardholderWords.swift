import EMV
import Payments

/// The questions to the cardholder, in the cardholder's language (EMV Book 4 §11.1 and §11.2). ``ReaderWords`` has what
/// needs no answer.
struct CardholderWords: Sendable {
    /// Asks for the PIN, which may be left empty.
    let pin: String
    let pinLength: String
    let incorrectPIN: String
    /// Has "%" for the number of tries left.
    let triesLeft: String
    let lastTry, whichAccount, defaultAccount: String
    private let accounts: (savings: String, checking: String, credit: String)

    /// Returns the name of an account type, a value of tag 5F57.
    func account(_ type: UInt8) -> String {
        switch AccountType.allCases.first(where: { $0.code == type }) {
        case .savings: accounts.savings
        case .checking: accounts.checking
        case .credit: accounts.credit
        case nil: defaultAccount
        }
    }

    /// Returns the lines to show before the PIN prompt.
    func warnings(_ prompt: PINPrompt) -> [String] {
        var lines: [String] = []
        if prompt.isRetry {
            // The last try has its own message below.
            let left =
                prompt.isLastTry
                ? nil
                : prompt.triesLeft.map { number in
                    triesLeft.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "\(number)")
                }
            lines.append(incorrectPIN + (left.map { " " + $0 } ?? ""))
        }
        if prompt.isLastTry { lines.append(lastTry) }
        return lines
    }

    private init(
        _ pin: String, _ pinLength: String, _ incorrectPIN: String, _ triesLeft: String, _ lastTry: String,
        _ whichAccount: String, _ defaultAccount: String, _ accounts: (String, String, String)
    ) {
        (self.pin, self.pinLength, self.incorrectPIN) = (pin, pinLength, incorrectPIN)
        (self.triesLeft, self.lastTry, self.whichAccount) = (triesLeft, lastTry, whichAccount)
        (self.defaultAccount, self.accounts) = (defaultAccount, accounts)
    }

    init(_ language: ReceiptLanguage) {
        switch language {
        case .english:
            self.init(
                "PIN (leave empty to skip)", "A PIN has 4 to 12 digits.", "Incorrect PIN.", "% tries left.",
                "Last try. Another incorrect PIN blocks the card.", "Which account?", "Default account",
                ("Savings", "Checking", "Credit"))
        case .spanish:
            self.init(
                "PIN (vacío para omitirlo)", "El PIN tiene de 4 a 12 cifras.", "PIN incorrecto.", "Quedan % intentos.",
                "Último intento. Otro PIN incorrecto bloquea la tarjeta.", "¿Qué cuenta?", "Cuenta predeterminada",
                ("Ahorros", "Corriente", "Crédito"))
        case .french:
            self.init(
                "Code PIN (vide pour passer)", "Le code a de 4 à 12 chiffres.", "Code incorrect.", "Encore % essais.",
                "Dernier essai. Un autre code incorrect bloque la carte.", "Quel compte ?", "Compte par défaut",
                ("Épargne", "Courant", "Crédit"))
        case .german:
            self.init(
                "PIN (leer lassen zum Überspringen)", "Eine PIN hat 4 bis 12 Ziffern.", "Falsche PIN.",
                "Noch % Versuche.", "Letzter Versuch. Eine weitere falsche PIN sperrt die Karte.", "Welches Konto?",
                "Standardkonto", ("Sparkonto", "Girokonto", "Kreditkonto"))
        case .italian:
            self.init(
                "PIN (vuoto per saltare)", "Il PIN ha da 4 a 12 cifre.", "PIN errato.", "Restano % tentativi.",
                "Ultimo tentativo. Un altro PIN errato blocca la carta.", "Quale conto?", "Conto predefinito",
                ("Risparmio", "Corrente", "Credito"))
        case .portuguese:
            self.init(
                "PIN (vazio para saltar)", "O PIN tem 4 a 12 dígitos.", "PIN incorreto.", "Restam % tentativas.",
                "Última tentativa. Outro PIN incorreto bloqueia o cartão.", "Que conta?", "Conta predefinida",
                ("Poupança", "Corrente", "Crédito"))
        case .japanese:
            self.init(
                "暗証番号（省略は空欄）", "暗証番号は4～12桁です。", "暗証番号が違います。", "残り%回です。",
                "最後の1回です。もう一度間違えるとカードが使えなくなります。", "どの口座ですか？", "標準の口座",
                ("貯蓄", "普通", "クレジット"))
        case .arabic:
            self.init(
                "الرقم السري (اتركه فارغًا للتخطي)", "الرقم السري من 4 إلى 12 رقمًا.", "الرقم السري غير صحيح.",
                "المحاولات المتبقية: %.", "المحاولة الأخيرة. رقم خاطئ آخر يوقف البطاقة.", "أي حساب؟",
                "الحساب الافتراضي",
                ("توفير", "جارٍ", "ائتمان"))
        }
    }
}
