// One sentence in twenty languages: the beginning of the Universal Declaration of Human Rights.

export const SENTENCES = {
  English: "All human beings are born free and equal in dignity and rights.",
  Amharic: "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
  Arabic: "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.",
  Bengali: "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।",
  Chinese: "人人生而自由,在尊严和权利上一律平等。",
  Finnish: "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.",
  French: "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
  Georgian: "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით.",
  German: "Alle Menschen sind frei und gleich an Würde und Rechten geboren.",
  Greek: "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
  Hebrew: "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
  Hindi: "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
  Japanese: "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
  Korean: "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
  Russian: "Все люди рождаются свободными и равными в своём достоинстве и правах.",
  Spanish: "Todos los seres humanos nacen libres e iguales en dignidad y derechos.",
  Swahili: "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa.",
  Tamil: "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்; அவர்கள் மதிப்பிலும், உரிமைகளிலும் சமமானவர்கள்.",
  Thai: "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
  Turkish: "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",
};

// The text that the page opens with. It is in none of the novels that the samples are trained on.
export const FIRST_TEXT =
  "It seemed to me that there was no one in the world who could have been better at it than she was. " +
  "For a moment I did not know what to say, and then, at the end of the day, I told her that I had been wrong.";
