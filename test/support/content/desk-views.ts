/** What views are about, by id. */
interface Shown {
  examId: number
  questionId: number
  attemptId: number
  classId: number
  conversationId: number
  notebookId: number
}

/** The addresses of the views that students and teachers have, about these things. */
export function listDeskViews(shown: Shown): Record<'student' | 'teacher', string[]> {
  const { examId, questionId, attemptId, classId, conversationId, notebookId } = shown
  return {
    student: [
      '/desk',
      '/desk/exams',
      `/desk/exams/${examId}`,
      `/desk/results/${attemptId}`,
      '/desk/classes',
      `/desk/classes/${classId}`,
      `/desk/classes/${classId}/materials`,
      '/desk/practice',
      '/desk/practice/cards',
      '/desk/progress',
      '/desk/tutor',
      '/desk/chat',
      `/desk/chat/${conversationId}`,
      '/desk/people',
      '/desk/notes',
      `/desk/notes/${notebookId}`,
      '/desk/library',
      `/desk/library/${notebookId}`,
      '/desk/account',
      '/desk/nowhere',
    ],
    teacher: [
      '/desk/teach',
      '/desk/teach/exams',
      ...['questions', 'import', 'settings', 'times', 'results', 'items', 'corrections'].map(
        (tab) => `/desk/teach/exams/${examId}/${tab}`,
      ),
      `/desk/teach/exams/${examId}/trial`,
      `/desk/teach/questions/${examId}/${questionId}`,
      '/desk/teach/classes',
      ...['members', 'news', 'materials', 'exams', 'results', 'gradebook'].map(
        (tab) => `/desk/classes/${classId}/${tab}`,
      ),
      `/desk/teach/attempts/${attemptId}`,
      '/desk/teach/questions',
      '/desk/teach/generate',
      '/desk/teach/ai-usage',
      '/desk/teach/analytics',
      '/desk/teach/challenges',
      '/desk/teach/users',
      '/desk/teach/users/new',
      '/desk/teach/allowances',
      '/desk/teach/requests',
      '/desk/teach/categories',
      '/desk/teach/reports',
      '/desk/teach/audit',
    ],
  }
}
